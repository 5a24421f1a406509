// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "models/kernel/probe.h"
#include "models/kernel/timeline.h"
#include "sw/os/os.h"

namespace sunstar::machine {

/// Reports the work of one node's firmware.
///   timeline  in the group of the node, a track for interrupt handlers of each core, one for what happens to blocks,
///   and tracks for
///             threads. As many threads of a kind as live at the same time have a track each. On it a thread runs (the
///             span has the kind's name), is ready, or waits (the span says for what).
///   log       nodes that it takes for gone, with `debug` interrupt handlers and what happens to blocks, with `trace`
///             threads
///   path      what runs on the processor goes on with the path of what woke it, or of what had the processor before
class FirmwareProbe final : public os::Observer, private Recording::Source {
 public:
  /// The node's computing counts for that stage. `name_of` names other nodes.
  FirmwareProbe(const Probe& probe, os::Os& os, Stage computing, std::function<std::string(hal::NodeId)> name_of);
  FirmwareProbe(const FirmwareProbe&) = delete;

  /// Shows a figure of firmware on the timeline, if there is one.
  void show(const std::string& name, std::function<std::size_t()> figure, const std::string& instance);

  // os::Observer
  void ready(os::Thread&) override;
  void runs(os::Thread&) override;
  void computes(os::Thread&) override;
  void computed(os::Thread&) override;
  void waits(os::Thread&, const char* what) override;
  void ends(os::Thread&) override;
  void sends(os::Thread&, hal::RequestId) override;
  void serves(os::Thread&, hal::RequestId) override;
  void interrupt_begins(const char* name, hal::RequestId) override;
  void interrupt_ends(Time end) override;
  void interrupt_waited(Duration) override;
  void defers(Path*& path, Time t) override;
  void resumes(Path*& path, Stage wait) override;
  void notes(const char* what, std::uint64_t file, std::uint64_t block) override;
  void gives_up(hal::NodeId) override;

 private:
  /// The thread that a track shows, and what it does.
  struct Life {
    Timeline::Track track;
    std::uint32_t kind, lane;
    const char* does = nullptr;  // null: it has ended
    bool waits = false;          // `does` is what for
    Time since{};
    hal::RequestId request = 0;  // that it does this for
    std::uint32_t turn = 0;      // its order of beginning, among the node's threads
    std::uint32_t core = 0;      // that it runs on
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
  struct Handler {
    const char* name = nullptr;
    hal::RequestId request = 0;
    Time start{};
  };

  Time settle() override;
  void look();
  Life& life(os::Thread&);
  std::uint32_t kind_of(const char* name);
  void turn_to(os::Thread&, const char* what, hal::RequestId, Time at, bool waits = false);
  void turn_to(Life&, const char* what, hal::RequestId, Time at, bool waits = false);
  void tell(const os::Thread& t, const char* before, const char* after = "") {
    if (report_.tells(LogLevel::trace)) [[unlikely]]
      tell_now(t, before, after);
  }
  void tell_now(const os::Thread&, std::string_view before, std::string_view after);
  Time now() const { return os_.now(); }

  os::Os& os_;
  CriticalPath* paths_;
  bool files_;  // there are a timeline, a log
  Timeline* timeline_;
  Reporter report_;
  Stage computing_;
  std::function<std::string(hal::NodeId)> name_of_;
  /// The handlers of a core.
  struct Core {
    Path handled;  // of the last one, at its interrupt
    Time handlers_end{};
    Timeline::Track interrupts{};
  };
  Core& core() { return cores_[os_.core()]; }
  std::vector<Core> cores_;
  QueueTimes *ready_queue_ = nullptr, *handler_queue_ = nullptr;

  std::uint32_t group_ = 0;
  Timeline::Track blocks_;
  Timeline::Counter ready_ = 0;
  std::vector<Kind> kinds_;
  std::vector<Life> lives_;
  std::vector<Figure> figures_;
  Handler handler_;
  std::uint32_t turns_ = 0;
  std::string waits_for_ = "waits for ";  // and what for, while it is written
};

}  // namespace sunstar::machine
