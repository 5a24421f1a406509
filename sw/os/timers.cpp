// SPDX-License-Identifier: MIT
#include "sw/os/timers.h"

namespace sunstar::os {

Timers::~Timers() {
  for (Call* call : spare_calls_) delete call;
  calls_.clear_and_dispose([](Call* call) { delete call; });
}

Timers::Call& Timers::call_at(Time t, std::function<void()> action, Stage wait, bool counts) {
  Call* const call = spare_calls_.empty() ? new Call(*this) : take_last(spare_calls_);
  call->action = std::move(action);
  call->counts = counts;
  call->wait = wait;
  if (observer()) [[unlikely]]
    observer_->defers(call->path, t);
  call->request = request_;
  call->core = core();
  if (counts) activity_.begin();
  calls_.push_back(*call);
  processor().at(t, *call);
  return *call;
}

void Timers::due(Call& call) {
  turn_to(cores_[call.core]);
  if (call.counts) activity_.end();
  if (observer()) [[unlikely]]
    observer_->resumes(call.path, call.wait);
  const auto action = std::move(call.action);
  give_back(call);
  if (off()) [[unlikely]]
    return;
  hold_threads();
  if (!counting) works_for(call.request);
  action();
  if (!counting) works_for(0);
  leave_handler();
}

void Timers::forget(Call& call) {
  cores_[call.core].processor->forget(call);
  give_back(call);
}

void Timers::give_back(Call& call) {
  call.action = nullptr;
  calls_.erase(calls_.iterator_to(call));
  spare_calls_.push_back(&call);
}

Task<> Timers::sleep_until(Time t) {
  co_await settle();
  if (t <= now()) co_return;
  WaitQueue alarm(*this, "a point of time");
  const bool daemon = runs_daemon();
  const bool woken = !daemon || (!activity_.retired() && (!activity_.none() || activity_.may_sleep_again()));
  // Not after(): an interrupt handler may be running.
  if (woken)
    call_at(
        t, [&alarm] { alarm.wake_all(); }, daemon ? Stage::timer : Stage::application, !daemon);
  co_await alarm.wait();
}

void Timers::forget_timers() {
  for (Alarm* alarm : alarms_) alarm->forget_timer();
}

void Timers::cancel_alarms() {
  for (Alarm* alarm : alarms_) alarm->cancel();
}

}  // namespace sunstar::os
