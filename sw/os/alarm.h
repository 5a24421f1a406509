// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <utility>

#include "sw/os/os.h"

namespace sunstar::os {

/// Calls an action when a limit of waiting has passed. It is moved on far more often than it goes off, so moving it on
/// costs nothing: the executive's timer looks again when the old time has come. It must live as long as the executive.
/// Firmware that is counted meets no limits.
class Alarm {
 public:
  Alarm(Os& os, std::function<void()> action) : os_(os), action_(std::move(action)) { os.alarms_.push_back(this); }
  Alarm(const Alarm&) = delete;

  /// From now on it goes off at `t`.
  void set(Time t) {
    if (counting || os_.off()) return;
    if (due_ == Time::max()) os_.activity_.begin();
    due_ = t;
    if (asked_ <= t) return;
    asked_ = t;
    timer_ = &os_.call_at(
        t, [this, t] { passed(t); }, Stage::timer, false);
  }
  void cancel() {
    if (std::exchange(due_, Time::max()) != Time::max()) os_.activity_.end();
  }
  Time due() const { return due_; }
  /// Forgets the executive's timer if the alarm is not set.
  void forget_timer() {
    if (due_ != Time::max() || asked_ == Time::max()) return;
    asked_ = Time::max();
    os_.forget(*timer_);
  }

 private:
  void passed(Time t) {
    if (asked_ != t) return;  // an earlier one has been asked for since
    asked_ = Time::max();
    if (due_ == Time::max()) return;
    if (due_ > os_.now()) return set(due_);
    cancel();
    action_();
  }

  Os& os_;
  std::function<void()> action_;
  Time due_ = Time::max();          // when it is to go off; max: never
  Time asked_ = Time::max();        // when the executive calls next; max: it does not
  hal::Callback* timer_ = nullptr;  // that call
};

}  // namespace sunstar::os
