// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <utility>

#include "sw/os/os.h"

namespace sunstar::os {

/// Calls somebody when a limit of time has passed. It is moved on far more often than it goes off, so moving it on
/// costs nothing: the executive's timer looks again when the old time has come. It must live as long as the executive.
class Alarm {
 public:
  Alarm(Os& os, std::function<void()> action) : os_(os), action_(std::move(action)) {}
  Alarm(const Alarm&) = delete;

  /// From now on it goes off at `t`; no-op on a machine of which nothing can fail.
  void set(Time t) {
    if (!os_.things_fail()) return;
    due_ = t;
    if (asked_ <= t) return;
    asked_ = t;
    os_.call_at(
        t, [this, t] { passed(t); }, Stage::timer);
  }
  void cancel() { due_ = Time::max(); }
  Time due() const { return due_; }

 private:
  void passed(Time t) {
    if (asked_ != t) return;  // an earlier one has been asked for since
    asked_ = Time::max();
    if (due_ == Time::max()) return;
    if (due_ > os_.now()) return set(due_);
    due_ = Time::max();
    action_();
  }

  Os& os_;
  std::function<void()> action_;
  Time due_ = Time::max();    // when it is to go off; max: never
  Time asked_ = Time::max();  // when the executive calls next; max: it does not
};

}  // namespace sunstar::os
