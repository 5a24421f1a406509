// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "models/kernel/lanes.h"
#include "models/kernel/timeline.h"
#include "sw/os/os.h"

namespace sunstar::machine {

/// Shows on a timeline what the firmware of one node does: on the group of the node, a track for interrupt handlers,
/// one for what happens to blocks, and tracks for threads. As many threads of a kind as live at the same time have a
/// track each. On it a thread runs (the span has the kind's name), is ready, or waits (the span says for what).
class FirmwareTrack final : public os::Observer, private Timeline::Source {
 public:
  FirmwareTrack(Timeline& timeline, os::Os& os);
  FirmwareTrack(const FirmwareTrack&) = delete;

  /// Shows a figure of firmware as a counter.
  void add(const std::string& name, std::function<std::size_t()> figure, const std::string& instance);

  // os::Observer
  void ready(os::Thread&) override;
  void runs(os::Thread&) override;
  void waits(os::Thread&, const char* what) override;
  void ends(os::Thread&) override;
  void sends(os::Thread&, hal::RequestId) override;
  void serves(os::Thread&, hal::RequestId) override;
  void interrupt_begins(const char* name, hal::RequestId) override;
  void interrupt_ends(Time end) override;
  void notes(const char* what, std::uint64_t file, std::uint64_t block) override;

 private:
  /// The thread that a track shows, and what it does.
  struct Life {
    Timeline::Track track;
    std::uint32_t kind, lane;
    const char* does = nullptr;  // null: it has ended
    bool waits = false;          // `does` is what for
    Time since{};
    hal::RequestId request = 0;  // for which it does this
    std::uint32_t turn = 0;      // when it began to, among what the node's threads do
  };
  struct Kind {
    const char* name;
    Lanes lanes;
    std::vector<std::uint32_t> lives;  // by lane
  };
  struct Figure {
    Timeline::Counter counter;
    std::function<std::size_t()> value;
  };

  Time settle() override;
  void look();
  Life& life(os::Thread&);
  std::uint32_t kind_of(const char* name);
  void turn_to(Life&, const char* what, hal::RequestId, Time at, bool waits = false);

  Timeline& timeline_;
  std::uint32_t group_;
  Timeline::Track interrupts_, blocks_;
  Timeline::Counter ready_;
  std::vector<Kind> kinds_;
  std::vector<Life> lives_;
  std::vector<Figure> figures_;
  const char* handler_ = nullptr;
  hal::RequestId handled_ = 0;
  Time handler_start_{}, handlers_end_{};
  std::uint32_t turns_ = 0;
  std::string waits_for_ = "waits for ";  // and what for, while it is written
};

}  // namespace sunstar::machine
