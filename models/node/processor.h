// SPDX-License-Identifier: MIT
#pragma once
#include "models/kernel/busy_share.h"
#include "models/kernel/probe.h"
#include "models/kernel/timetable.h"
#include "models/node/hal.h"
#include "models/node/processor_core.h"

namespace sunstar::node {

/// A core of the processor as a SystemC module: it runs ProcessorCore in simulated time. A stretch of thread-level work
/// costs one event of the timetable; interrupts cost none of their own.
class Processor : public sc_core::sc_module,
                  public hal::Processor,
                  private Timetable::Alarm,
                  private Recording::Source {
 public:
  /// `cycle_ps`: the length of one cycle of this node's clock; `first`: the node's first core, unless this is it.
  Processor(const sc_core::sc_module_name& name, double cycle_ps, Timetable& timetable, Processor* first = nullptr);

  Time interrupt(Cycles) override;
  Time lengthen_interrupt(Cycles) override;
  void execute(Cycles, hal::Callback& done) override;
  void add(Cycles) override;
  void wait_for_memory(Time) override;
  void at(Time, hal::Callback&) override;
  void forget(hal::Callback&) override;

  /// Does nothing until `until`: neither threads nor timers go on.
  void pause(Time until);

  Duration length(Cycles c) const { return picoseconds(c.count * cycle_ps_); }
  void add_statistics(StatisticSet&);
  /// Shows the processor's state in the waves: "<name>.state" is idle, thread or interrupt.
  void probe(const Probe&);
  /// Shows a figure of the firmware in the waves, too. Every action of firmware begins or ends with a call to or by the
  /// processor, so firmware needs no code for it: the processor reads the figures before each call, and the values read
  /// have held since the last call. A node's figures are with its first core.
  void show(const std::string& name, std::function<std::size_t()> figure);
  const ProcessorCore& core() const { return core_; }
  std::uint64_t interrupts() const { return interrupts_; }
  bool busy() const { return pending_ != nullptr; }

 private:
  struct Timer {
    Time when;
    std::uint64_t order;
    hal::Callback* callback;
    bool operator>(const Timer& o) const { return when != o.when ? when > o.when : order > o.order; }
  };

  struct Figure {
    Wave wave;
    std::function<std::size_t()> value;
  };

  void ring() override;
  void set_alarm();
  /// Called before a call to or by the processor, and after a call that changes its state.
  void look() {
    if (waves_) [[unlikely]]
      look_now();
  }
  void show_state() {
    if (waves_) [[unlikely]]
      show_state_now();
  }
  void look_now();
  void show_state_now();
  Time settle() override;

  double cycle_ps_;
  Processor* const first_;
  ProcessorCore core_;
  hal::Callback* pending_ = nullptr;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;  // earliest first
  std::uint64_t order_ = 0;
  std::uint64_t interrupts_ = 0;
  Time paused_until_{};
  BusyShare threads_, handlers_;

  WaveFile* waves_ = nullptr;
  Wave state_;
  std::vector<Figure> figures_;
  Time looked_at_{};  // when firmware last ran; the figures of that time have not been read yet
};

}  // namespace sunstar::node
