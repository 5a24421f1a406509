// SPDX-License-Identifier: MIT
#pragma once
#include <cassert>

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
  Processor(const sc_core::sc_module_name& name, double cycle_ps, Timetable& timetable, Processor* first = nullptr)
      : sc_module(name), Alarm(timetable), cycle_ps_(cycle_ps), first_(first ? first : this) {}

  Time interrupt(Cycles c) override {
    ++interrupts_;
    return lengthen_interrupt(c);
  }

  Time lengthen_interrupt(Cycles c) override {
    look();
    const Time end = core_.interrupt(now(), length(c));
    if (pending_) set_alarm();
    show_state();
    return end;
  }

  void execute(Cycles c, hal::Callback& done) override {
    assert(!pending_);
    look();
    pending_ = &done;
    core_.execute(now(), length(c));
    set_alarm();
    show_state();
  }

  void add(Cycles c) override {
    look();
    core_.execute(now(), length(c));
    show_state();
  }

  void wait_for_memory(Time until) override {
    core_.wait_for_memory(until);
    if (pending_) set_alarm();
    show_state();
  }

  void at(Time when, hal::Callback& callback) override {
    look();
    timers_.push({when, order_++, &callback});
    set_alarm();
  }

  void forget(hal::Callback& callback) override {
    std::vector<Timer> kept;
    for (; !timers_.empty(); timers_.pop())
      if (timers_.top().callback != &callback) kept.push_back(timers_.top());
    timers_ = decltype(timers_)({}, std::move(kept));
    set_alarm();
  }

  /// Does nothing until `until`: neither threads nor timers go on.
  void pause(Time until) {
    look();
    const Time from = std::max(paused_until_, now());  // pauses may overlap
    if (until > from) core_.interrupt(now(), until - from);
    paused_until_ = std::max(until, paused_until_);
    set_alarm();
    show_state();
  }

  Duration length(Cycles c) const { return picoseconds(c.count * cycle_ps_); }

  void add_statistics(StatisticSet& set) {
    const std::string prefix = name();
    add_share(set, prefix + ".thread_utilisation", "share of time spent in threads", threads_,
              [this] { return core_.thread_busy(now()); });
    add_share(set, prefix + ".interrupt_utilisation", "share of time spent in interrupt handlers", handlers_,
              [this] { return core_.interrupt_busy(now()); });
    set.counter(prefix + ".interrupts", "interrupts taken", "1", interrupts_);
  }

  /// Shows the processor's state in the waves: "<name>.state" is idle, thread or interrupt.
  void probe(const Probe& probe) {
    waves_ = probe.waves;
    if (!waves_) return;
    state_ = Wave(probe, std::string(name()) + ".state", {"processor_state", {"idle", "thread", "interrupt"}});
    waves_->add(*this);
  }

  /// Shows a figure of the firmware in the waves, too. Every action of firmware begins or ends with a call to or by the
  /// processor, so firmware needs no code for it: the processor reads the figures before each call, and the values read
  /// have held since the last call. A node's figures are with its first core.
  void show(const std::string& name, std::function<std::size_t()> figure) {
    if (waves_) figures_.push_back({Wave({.waves = waves_}, name), std::move(figure)});
  }
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

  void ring() override {
    const Time t = now();
    while (!timers_.empty() && timers_.top().when <= t) {
      hal::Callback* callback = timers_.top().callback;
      timers_.pop();
      look();
      callback->run();
    }
    // A timer may have added interrupt-level work.
    if (pending_ && core_.thread_end() <= t) {
      hal::Callback* callback = pending_;
      pending_ = nullptr;
      look();
      callback->run();
    }
    set_alarm();
  }

  void set_alarm() {
    Time next = pending_ ? core_.thread_end() : Time::max();
    if (!timers_.empty()) next = std::min(next, timers_.top().when);
    set(std::max(next, paused_until_));
  }

  /// Called before a call to or by the processor, and after a call that changes its state.
  void look() {
    if (waves_) [[unlikely]]
      look_now();
  }
  void show_state() {
    if (waves_) [[unlikely]]
      show_state_now();
  }

  void look_now() {
    if (first_ != this) return first_->look_now();
    const Time t = now();
    if (t == looked_at_) return;
    settle();
    looked_at_ = t;
  }

  // Interrupt-level work comes first and has no gaps; thread-level work follows.
  void show_state_now() {
    enum State { idle, thread, in_interrupt };
    const Time interrupts = core_.interrupt_end(), threads = core_.thread_end();
    Time from = now();
    if (interrupts > from) {
      state_.change(from, in_interrupt);
      from = interrupts;
    }
    if (threads > from) {
      state_.change(from, thread);
      from = threads;
    }
    state_.change(from, idle);
  }

  Time settle() override {
    for (const Figure& f : figures_) f.wave.change(looked_at_, static_cast<int>(f.value()));
    return now();
  }

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
