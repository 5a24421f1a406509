// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "models/core/quantity.h"

namespace sunstar::disk {

/// The angle of the spindle as a function of absolute time. An angle is the time since the index mark passed the head,
/// 0 <= angle < revolution(). Each spindle has a phase of its own, the angle at time 0; speed does not vary.
class Rotation {
 public:
  /// rpm > 0; `phase` is in revolutions, and only its fraction counts.
  Rotation(double rpm, double phase)
      : revolution_(from_seconds(60.0 / rpm)), phase_(from_seconds(60.0 / rpm * (phase - std::floor(phase)))) {}

  Duration revolution() const { return revolution_; }
  Duration angle(Time t) const { return (t.time_since_epoch() + phase_) % revolution_; }

  /// Angle of the start of slot `slot` of `slots` equal ones.
  Duration slot_angle(std::uint64_t slot, std::uint64_t slots) const { return slot_time(slot % slots, slots); }
  /// Time in which n slots pass the head, of which a revolution has `slots`. No rounding accumulates over n.
  Duration slot_time(std::uint64_t n, std::uint64_t slots) const {
    const auto whole = static_cast<std::int64_t>(n / slots), part = static_cast<std::int64_t>(n % slots);
    return revolution_ * whole + revolution_ * part / static_cast<std::int64_t>(slots);
  }

  /// The most slots of which slot_time() is not more than `time`, which is not negative.
  std::uint64_t slots_in(Duration time, std::uint64_t slots) const {
    const auto of_revolution = static_cast<std::int64_t>(slots);
    return static_cast<std::uint64_t>(time / revolution_ * of_revolution +
                                      ((time % revolution_).count() * of_revolution + of_revolution - 1) /
                                          revolution_.count());
  }

  /// Time from angle `from` until angle `to` passes. An angle missed by less than a nanosecond, as rounding to
  /// picoseconds may cause, counts as not missed.
  Duration between(Duration from, Duration to) const {
    Duration wait = (to - from) % revolution_;
    if (wait < Duration::zero()) wait += revolution_;
    return wait > revolution_ - std::chrono::nanoseconds{1} ? Duration::zero() : wait;
  }
  Duration wait(Time t, Duration to) const { return between(angle(t), to); }

 private:
  Duration revolution_;
  Duration phase_;
};

}  // namespace sunstar::disk
