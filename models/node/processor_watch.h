// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "models/kernel/wave_file.h"
#include "models/node/processor.h"

namespace sunstar::node {

/// Stands between firmware and its processor and shows in a wave file what the processor does: "<cpu>.state" is idle,
/// thread or interrupt. All that firmware does begins or ends with a call that passes here, so showing figures of
/// firmware (lengths of its queues) needs no code there: the watch reads them before each call, and the values read
/// have held since the last one.
class ProcessorWatch final : public hal::Processor, private WaveFile::Source {
 public:
  ProcessorWatch(node::Processor& cpu, WaveFile& waves);

  /// Shows a figure of firmware under that name.
  void add(const std::string& name, std::function<std::size_t()> figure);

  Time interrupt(Cycles) override;
  Time lengthen_interrupt(Cycles) override;
  void execute(Cycles, hal::Callback& done) override;
  void add(Cycles) override;
  void at(Time, hal::Callback&) override;

 private:
  struct Timer final : hal::Callback {
    ProcessorWatch* watch = nullptr;
    hal::Callback* callback = nullptr;
    void run() override;
  };
  struct Figure {
    WaveFile::Signal signal;
    std::function<std::size_t()> value;
  };

  Time settle() override;
  void look();
  void show_state();
  Timer& timer(hal::Callback&);

  node::Processor& cpu_;
  WaveFile& waves_;
  WaveFile::Signal state_;
  std::vector<Figure> figures_;
  Time last_{};  // when firmware last ran; what it did then has not been read yet
  std::deque<Timer> timers_;
  std::vector<Timer*> spare_;
};

}  // namespace sunstar::node
