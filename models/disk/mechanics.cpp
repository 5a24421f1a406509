// SPDX-License-Identifier: MIT
#include "models/disk/mechanics.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>

namespace sunstar::disk {

Mechanics::Mechanics(const DriveParams& p, double spindle_phase)
    : geometry_(p), seek_(p.seek), rotation_(p.rpm, spindle_phase), head_switch_(p.head_switch), write_settle_(p.write_settle) {
  for (Access access : {Access::read, Access::write}) {
    auto& gaps = gaps_[static_cast<int>(access)];
    for (const Zone& z : p.zones) {
      const auto covered = [&](std::uint64_t skew, Duration needed) {
        while (rotation_.slot_time(skew, z.sectors_per_track) < needed) skew += z.sectors_per_track;
        return skew;
      };
      gaps.push_back({covered(z.track_skew, move({0, 0}, {0, 1}, access)), covered(z.cylinder_skew, move({0, 1}, {1, 0}, access))});
    }
    auto& jumps = jumps_[static_cast<int>(access)];
    for (std::size_t e = 0; e + 1 < geometry_.extents().size(); ++e) jumps.push_back(jump(e, access));
  }
}

Duration Mechanics::move(Track from, Track to, Access access) const {
  if (from == to) return Duration::zero();
  const std::uint32_t distance = from.cylinder < to.cylinder ? to.cylinder - from.cylinder : from.cylinder - to.cylinder;
  Duration time = seek_(distance);
  if (from.head != to.head) time = std::max(time, head_switch_);
  return access == Access::write ? time + write_settle_ : time;
}

Duration Mechanics::rotational_wait(Time t, Lbn lbn) const {
  const auto& e = geometry_.extents()[geometry_.extent_of(lbn)];
  const std::uint32_t per_track = geometry_.zone(e.zone).sectors_per_track;
  const std::uint64_t track = e.first_track + (lbn - e.first) / per_track;
  const std::uint64_t slot = geometry_.first_slot(track, e.zone) + (lbn - e.first) % per_track;
  return rotation_.wait(t, rotation_.slot_angle(slot, per_track));
}

Duration Mechanics::jump(std::size_t extent, Access access) const {
  const auto& from = geometry_.extents()[extent];
  const auto& to = geometry_.extents()[extent + 1];
  const std::uint32_t from_slots = geometry_.zone(from.zone).sectors_per_track;
  const std::uint64_t last_track = from.first_track + from.sectors / from_slots - 1;
  const Duration needed = move(geometry_.address(to.first - 1).track, geometry_.address(to.first).track, access);
  const Duration end = rotation_.slot_angle(geometry_.first_slot(last_track, from.zone), from_slots);
  const Duration start = rotation_.slot_angle(geometry_.first_slot(to.first_track, to.zone), geometry_.zone(to.zone).sectors_per_track);
  Duration gap = rotation_.between(end, start);
  while (gap < needed) gap += rotation_.revolution();
  return gap;
}

Duration Mechanics::span(Lbn lbn, std::uint64_t n, Access access) const {
  Duration total{0};
  if (n == 0) return total;
  assert(lbn + n <= geometry_.sectors());
  for (std::size_t i = geometry_.extent_of(lbn);; ++i) {
    const auto& e = geometry_.extents()[i];
    const std::uint32_t per_track = geometry_.zone(e.zone).sectors_per_track;
    const Gaps& gaps = gaps_[static_cast<int>(access)][e.zone];
    const std::uint64_t here = std::min(n, e.end() - lbn);
    const std::uint64_t first = e.first_track + (lbn - e.first) / per_track;
    const std::uint64_t last = e.first_track + (lbn - e.first + here - 1) / per_track;
    const std::uint64_t cylinder_switches = last / geometry_.heads() - first / geometry_.heads();
    const std::uint64_t head_switches = last - first - cylinder_switches;
    total += rotation_.slot_time(here + head_switches * gaps.head + cylinder_switches * gaps.cylinder, per_track);
    lbn += here;
    n -= here;
    if (n == 0) return total;
    total += jumps_[static_cast<int>(access)][i];
  }
}

Duration Mechanics::lead(Lbn lbn, std::uint64_t n, Access access) const {
  return span(lbn, n + 1, access) - span(lbn + n, 1, access);
}

std::uint64_t Mechanics::passed(Lbn lbn, Duration since, std::uint64_t most) const {
  most = std::min(most, geometry_.sectors() - lbn);
  std::uint64_t done = 0, not_done = most + 1;
  while (not_done - done > 1) {
    const std::uint64_t middle = done + (not_done - done) / 2;
    (span(lbn, middle, Access::read) <= since ? done : not_done) = middle;
  }
  return done;
}

}  // namespace sunstar::disk
