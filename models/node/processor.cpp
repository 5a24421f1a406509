// SPDX-License-Identifier: MIT
#include "models/node/processor.h"

#include <algorithm>
#include <cassert>
#include <functional>

#include "models/kernel/sc_time_bridge.h"

namespace sunstar::node {

Processor::Processor(const sc_core::sc_module_name& name, double cycle_ps, Timetable& timetable)
    : sc_module(name), Alarm(timetable), socket("socket"), cycle_ps_(cycle_ps) {}

Time Processor::interrupt(Cycles c) {
  ++interrupts_;
  return lengthen_interrupt(c);
}

Time Processor::lengthen_interrupt(Cycles c) {
  const Time end = core_.interrupt(now(), length(c));
  if (pending_) set_alarm();
  return end;
}

void Processor::execute(Cycles c, hal::Callback& done) {
  assert(!pending_);
  pending_ = &done;
  core_.execute(now(), length(c));
  set_alarm();
}

void Processor::add(Cycles c) { core_.execute(now(), length(c)); }

void Processor::at(Time when, hal::Callback& callback) {
  timers_.push_back({when, order_++, &callback});
  std::push_heap(timers_.begin(), timers_.end(), std::greater<>{});
  set_alarm();
}

void Processor::ring() {
  const Time t = now();
  while (!timers_.empty() && timers_.front().when <= t) {
    hal::Callback* callback = timers_.front().callback;
    std::pop_heap(timers_.begin(), timers_.end(), std::greater<>{});
    timers_.pop_back();
    callback->run();
  }
  // A timer may have added interrupt-level work.
  if (pending_ && core_.thread_end() <= t) {
    hal::Callback* callback = pending_;
    pending_ = nullptr;
    callback->run();
  }
  set_alarm();
}

void Processor::set_alarm() {
  Time next = pending_ ? core_.thread_end() : Time::max();
  if (!timers_.empty()) next = std::min(next, timers_.front().when);
  set(next);
}

void Processor::add_statistics(StatisticSet& set) {
  const std::string prefix = name();
  const auto share = [](Duration d) { return now() == Time{} ? 0.0 : seconds(d) / seconds(now()); };
  set.add({prefix + ".thread_utilisation", "share of time spent in threads", "fraction",
           [this, share] { return share(core_.thread_busy(now())); }});
  set.add({prefix + ".interrupt_utilisation", "share of time spent in interrupt handlers", "fraction",
           [this, share] { return share(core_.interrupt_busy(now())); }});
  set.counter(prefix + ".interrupts", "interrupts taken", "1", interrupts_);
}

}  // namespace sunstar::node
