// SPDX-License-Identifier: MIT
#pragma once
#include "models/disk/geometry.h"

namespace sunstar::disk {

/// The angle of the spindle as a function of time. An angle is the time since the index mark passed the head,
/// 0 <= angle < revolution(); at time 0 the mark is under the head. Speed does not vary. A drive whose spindle has
/// another phase adds it to its times.
class Rotation {
 public:
  /// rpm > 0
  explicit Rotation(double rpm) : seconds_(60.0 / rpm), revolution_(from_seconds(seconds_)) {}

  Duration revolution() const { return revolution_; }
  /// The angle of a part of a revolution; of `revolutions` only the fraction counts.
  Duration phase(double revolutions) const { return from_seconds(seconds_ * (revolutions - std::floor(revolutions))); }
  Duration angle(Time t) const { return t.time_since_epoch() % revolution_; }

  /// Angle of the start of slot `slot` of `slots` equal ones.
  Duration slot_angle(std::uint64_t slot, std::uint64_t slots) const { return slot_time(slot % slots, slots); }
  /// Time in which n slots pass the head; a revolution has `slots` slots. No rounding accumulates over n.
  Duration slot_time(std::uint64_t n, std::uint64_t slots) const {
    const auto whole = static_cast<std::int64_t>(n / slots), part = static_cast<std::int64_t>(n % slots);
    return revolution_ * whole + revolution_ * part / static_cast<std::int64_t>(slots);
  }

  /// The most slots whose slot_time() is at most `time`, which is not negative.
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
  double seconds_;  // of a revolution
  Duration revolution_;
};

enum class Access { read, write };

/// The times of arm and platters. A pass is the heads' way along consecutive blocks without a stop. Its times are
/// closed formulas over the counts of head and cylinder switches in it, so a pass of any length within one extent, and
/// its progress, cost the same to compute. At the end of a track the next track's first sector comes under the head
/// after the skew, provided the switch (head_switch, for the next cylinder a one-cylinder seek if that is longer, plus
/// write_settle for a write) is done by then; otherwise a revolution later. All drives of a type share it: it holds
/// nothing of one drive's state.
class Mechanics {
 public:
  explicit Mechanics(const DriveParams& params);

  const Geometry& geometry() const { return geometry_; }
  const Rotation& rotation() const { return rotation_; }

  /// Time to bring the arm and the electronics from one track to another: the seek, or the head switch if the head
  /// changes and that takes longer; for a write less read_settle plus write_settle, never below 0. It is 0 for the same
  /// track.
  Duration move(Track from, Track to, Access access) const;
  /// Time from `t`, on the clock of Rotation, until the start of the block comes under the head, which is on the
  /// block's track.
  Duration rotational_wait(Time t, Lbn lbn) const;
  /// Blocks just before `lbn` on its track that pass under the head in the last `wait` before `lbn` does.
  std::uint64_t passed_before(Duration wait, Lbn lbn) const;
  /// Time from the start of block `lbn` to the end of block lbn + n - 1 in one pass; 0 for n = 0.
  Duration span(Lbn lbn, std::uint64_t n, Access access) const;
  /// Time from the start of block `lbn` to the start of block lbn + n in one pass, which must exist.
  Duration lead(Lbn lbn, std::uint64_t n, Access access) const;
  /// How many blocks, at most `most`, a pass that started with block `lbn` has read completely after `since`.
  std::uint64_t passed(Lbn lbn, Duration since, std::uint64_t most) const;

 private:
  struct Gaps {
    std::uint64_t head = 0, cylinder = 0;
  };  // slots between tracks, whole revolutions included
  Duration settled(Duration move, Access access) const;
  const Gaps& gaps(const Geometry::Extent& extent, Access access) const {
    return gaps_[static_cast<int>(access)][extent.zone];
  }
  Duration span_within(const Geometry::Extent& extent, Lbn lbn, std::uint64_t n, Access access) const;
  std::uint64_t passed_within(const Geometry::Extent& extent, Lbn lbn, Duration since) const;
  std::uint64_t slot(const Geometry::Extent& extent, Lbn lbn) const;  // from the index mark
  Duration jump(std::size_t extent, Access access) const;  // from the end of an extent to the start of the next

  Geometry geometry_;
  SeekCurve seek_;
  Rotation rotation_;
  Duration head_switch_;
  Duration settling_;               // a write's settling time beyond a read's
  std::vector<Gaps> gaps_[2];       // by access and zone
  std::vector<Duration> jumps_[2];  // by access and extent
};

}  // namespace sunstar::disk
