// SPDX-License-Identifier: MIT
#include "models/node/processor.h"

#include <cassert>

namespace sunstar::node {

Processor::Processor(const sc_core::sc_module_name& name, double cycle_ps, Timetable& timetable, Processor* first)
    : sc_module(name), Alarm(timetable), cycle_ps_(cycle_ps), first_(first ? first : this) {}

Time Processor::interrupt(Cycles c) {
  ++interrupts_;
  return lengthen_interrupt(c);
}

Time Processor::lengthen_interrupt(Cycles c) {
  look();
  const Time end = core_.interrupt(now(), length(c));
  if (pending_) set_alarm();
  show_state();
  return end;
}

void Processor::pause(Time until) {
  look();
  const Time from = std::max(paused_until_, now());  // pauses may overlap
  if (until > from) core_.interrupt(now(), until - from);
  paused_until_ = std::max(until, paused_until_);
  set_alarm();
  show_state();
}

void Processor::execute(Cycles c, hal::Callback& done) {
  assert(!pending_);
  look();
  pending_ = &done;
  core_.execute(now(), length(c));
  set_alarm();
  show_state();
}

void Processor::add(Cycles c) {
  look();
  core_.execute(now(), length(c));
  show_state();
}

void Processor::wait_for_memory(Time until) {
  core_.wait_for_memory(until);
  if (pending_) set_alarm();
  show_state();
}

void Processor::at(Time when, hal::Callback& callback) {
  look();
  timers_.push({when, order_++, &callback});
  set_alarm();
}

void Processor::forget(hal::Callback& callback) {
  std::vector<Timer> kept;
  for (; !timers_.empty(); timers_.pop())
    if (timers_.top().callback != &callback) kept.push_back(timers_.top());
  timers_ = decltype(timers_)({}, std::move(kept));
  set_alarm();
}

void Processor::ring() {
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

void Processor::set_alarm() {
  Time next = pending_ ? core_.thread_end() : Time::max();
  if (!timers_.empty()) next = std::min(next, timers_.top().when);
  set(std::max(next, paused_until_));
}

void Processor::add_statistics(StatisticSet& set) {
  const std::string prefix = name();
  add_share(set, prefix + ".thread_utilisation", "share of time spent in threads", threads_,
            [this] { return core_.thread_busy(now()); });
  add_share(set, prefix + ".interrupt_utilisation", "share of time spent in interrupt handlers", handlers_,
            [this] { return core_.interrupt_busy(now()); });
  set.counter(prefix + ".interrupts", "interrupts taken", "1", interrupts_);
}

void Processor::probe(const Probe& probe) {
  waves_ = probe.waves;
  if (!waves_) return;
  state_ = Wave(probe, std::string(name()) + ".state", {"processor_state", {"idle", "thread", "interrupt"}});
  waves_->add(*this);
}

void Processor::show(const std::string& name, std::function<std::size_t()> figure) {
  if (waves_) figures_.push_back({Wave({.waves = waves_}, name), std::move(figure)});
}

void Processor::look_now() {
  if (first_ != this) return first_->look_now();
  const Time t = now();
  if (t == looked_at_) return;
  settle();
  looked_at_ = t;
}

Time Processor::settle() {
  for (const Figure& f : figures_) f.wave.change(looked_at_, static_cast<int>(f.value()));
  return now();
}

// Interrupt-level work comes first and has no gaps; thread-level work follows.
void Processor::show_state_now() {
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

}  // namespace sunstar::node
