// SPDX-License-Identifier: MIT
#include "models/node/processor.h"

#include <algorithm>
#include <cassert>
#include <functional>

#include "models/core/sc_time_bridge.h"

namespace sunstar::node {

Processor::Processor(const sc_core::sc_module_name& name, double cycle_ps)
    : sc_module(name), socket("socket"), cycle_ps_(cycle_ps) {
  SC_HAS_PROCESS(Processor);
  SC_METHOD(wake);
  sensitive << wake_event_;
  dont_initialize();
}

Time Processor::interrupt(Cycles c) {
  ++interrupts_;
  return core_.interrupt(now(), length(c));
}

void Processor::execute(Cycles c, hal::Callback& done) {
  assert(!pending_);
  pending_ = &done;
  const Time t = now();
  wake_event_.notify(to_sc(core_.execute(t, length(c)) - t));  // an earlier timer keeps its earlier notification
}

void Processor::add(Cycles c) { core_.execute(now(), length(c)); }

void Processor::at(Time when, hal::Callback& callback) {
  timers_.push_back({when, order_++, &callback});
  std::push_heap(timers_.begin(), timers_.end(), std::greater<>{});
  wake_event_.notify(to_sc(when - now()));
}

void Processor::wake() {
  const Time t = now();
  while (!timers_.empty() && timers_.front().when <= t) {
    hal::Callback* callback = timers_.front().callback;
    std::pop_heap(timers_.begin(), timers_.end(), std::greater<>{});
    timers_.pop_back();
    callback->run();
  }
  // Interrupts may have pushed the end back since this wake-up was asked for.
  if (pending_ && core_.thread_end() <= t) {
    hal::Callback* callback = pending_;
    pending_ = nullptr;
    callback->run();
  }
  arm();
}

void Processor::arm() {
  Time next = Time::max();
  if (pending_) next = core_.thread_end();
  if (!timers_.empty()) next = std::min(next, timers_.front().when);
  if (next != Time::max()) wake_event_.notify(to_sc(next - now()));
}

void Processor::add_statistics(StatisticSet& set) {
  const std::string prefix = name();
  const auto share = [](Duration d) { return now() == Time{} ? 0.0 : seconds(d) / seconds(now()); };
  set.add({prefix + ".thread_utilisation", "share of time spent in threads", "fraction",
           [this, share] { return share(core_.thread_busy()); }});
  set.add({prefix + ".interrupt_utilisation", "share of time spent in interrupt handlers", "fraction",
           [this, share] { return share(core_.interrupt_busy()); }});
  set.counter(prefix + ".interrupts", "interrupts taken", "1", interrupts_);
}

}  // namespace sunstar::node
