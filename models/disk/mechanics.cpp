// SPDX-License-Identifier: MIT
#include "models/disk/mechanics.h"

#include <cassert>

namespace sunstar::disk {

Mechanics::Mechanics(const DriveParams& p)
    : geometry_(p),
      seek_(p.seek),
      rotation_(p.rpm),
      head_switch_(p.head_switch),
      settling_(p.write_settle - p.read_settle) {
  const Duration head = p.heads > 1 ? head_switch_ : Duration::zero();
  const Duration cylinder = p.mapping == Mapping::forward ? std::max(seek_(1), head) : seek_(1);
  for (Access access : {Access::read, Access::write}) {
    auto& gaps = gaps_[static_cast<int>(access)];
    for (const Zone& z : p.zones) {
      const std::uint32_t unused = p.sparing == Sparing::sectors_at_track_end ? z.spares : 0;
      const auto covered = [&](std::uint64_t skew, Duration needed) {
        skew += unused;
        while (rotation_.slot_time(skew, z.sectors_per_track) < needed) skew += z.sectors_per_track;
        return skew;
      };
      gaps.push_back(
          {covered(z.track_skew, settled(head, access)), covered(z.cylinder_skew, settled(cylinder, access))});
    }
    auto& jumps = jumps_[static_cast<int>(access)];
    for (std::size_t e = 0; e + 1 < geometry_.extents().size(); ++e) jumps.push_back(jump(e, access));
  }
}

Duration Mechanics::settled(Duration move, Access access) const {
  return access == Access::write ? std::max(move + settling_, Duration::zero()) : move;
}

Duration Mechanics::move(Track from, Track to, Access access) const {
  if (from == to) return Duration::zero();
  const std::uint32_t distance =
      from.cylinder < to.cylinder ? to.cylinder - from.cylinder : from.cylinder - to.cylinder;
  Duration time = seek_(distance);
  if (from.head != to.head) time = std::max(time, head_switch_);
  return settled(time, access);
}

std::uint64_t Mechanics::slot(const Geometry::Extent& e, Lbn lbn) const {
  const std::uint64_t position = e.position(lbn);
  return geometry_.first_slot(e.first_track + position / e.row, e.zone) + position % e.row;
}

Duration Mechanics::rotational_wait(Time t, Lbn lbn) const {
  const auto& e = geometry_.extents()[geometry_.extent_of(lbn)];
  return rotation_.wait(t, rotation_.slot_angle(slot(e, lbn), geometry_.zone(e.zone).sectors_per_track));
}

std::uint64_t Mechanics::passed_before(Duration wait, Lbn lbn) const {
  const auto& e = geometry_.extents()[geometry_.extent_of(lbn)];
  const std::uint32_t slots = geometry_.zone(e.zone).sectors_per_track;
  const auto passed = static_cast<std::uint64_t>(wait.count() / (rotation_.revolution().count() / slots));
  return std::min(passed, lbn - geometry_.track_begin(lbn));
}

Duration Mechanics::jump(std::size_t extent, Access access) const {
  const auto& from = geometry_.extents()[extent];
  const auto& to = geometry_.extents()[extent + 1];
  const Duration needed =
      move(geometry_.address(from, from.end() - 1).track, geometry_.address(to, to.first).track, access);
  const Duration end =
      rotation_.slot_angle(slot(from, from.end() - 1) + 1, geometry_.zone(from.zone).sectors_per_track);
  Duration gap =
      rotation_.between(end, rotation_.slot_angle(slot(to, to.first), geometry_.zone(to.zone).sectors_per_track));
  while (gap < needed) gap += rotation_.revolution();
  return gap;
}

// The same for n > 0 blocks of one extent.
Duration Mechanics::span_within(const Geometry::Extent& e, Lbn lbn, std::uint64_t n, Access access) const {
  const std::uint64_t first = e.track(lbn), last = e.track(lbn + n - 1);
  std::uint64_t slots = n;
  if (last > first) {
    const Gaps& gap = gaps(e, access);
    const std::uint64_t cylinder_switches = last / geometry_.heads() - first / geometry_.heads();
    slots += (last - first - cylinder_switches) * gap.head + cylinder_switches * gap.cylinder;
  }
  return rotation_.slot_time(slots, geometry_.zone(e.zone).sectors_per_track);
}

Duration Mechanics::span(Lbn lbn, std::uint64_t n, Access access) const {
  Duration total{0};
  if (n == 0) return total;
  assert(lbn + n <= geometry_.sectors());
  for (std::size_t i = geometry_.extent_of(lbn);; ++i) {
    const auto& e = geometry_.extents()[i];
    const std::uint64_t here = std::min(n, e.end() - lbn);
    total += span_within(e, lbn, here, access);
    lbn += here;
    n -= here;
    if (n == 0) return total;
    total += jumps_[static_cast<int>(access)][i];
  }
}

Duration Mechanics::lead(Lbn lbn, std::uint64_t n, Access access) const {
  return span(lbn, n + 1, access) - span(lbn + n, 1, access);
}

// Inverts span_within(): the blocks that a pass that started with `lbn` has read, as if the extent had no end.
std::uint64_t Mechanics::passed_within(const Geometry::Extent& e, Lbn lbn, Duration since) const {
  // Counted from the first slot of the cylinder in which the pass starts: a cylinder is `heads` tracks with a gap
  // behind each, a longer gap behind the last.
  const Gaps& gap = gaps(e, Access::read);
  const std::uint64_t heads = geometry_.heads(), track = e.row + gap.head;
  const std::uint64_t cylinder = heads * track - gap.head + gap.cylinder;
  const std::uint64_t head = e.track(lbn) % heads, sector = e.position(lbn) % e.row;
  const std::uint64_t slot =
      head * track + sector + rotation_.slots_in(since, geometry_.zone(e.zone).sectors_per_track);
  const std::uint64_t in_cylinder = slot % cylinder, tracks = std::min(in_cylinder / track, heads - 1);
  const std::uint64_t end =
      (slot / cylinder * heads + tracks) * e.row + std::min<std::uint64_t>(in_cylinder - tracks * track, e.row);
  return end - (head * e.row + sector);
}

std::uint64_t Mechanics::passed(Lbn lbn, Duration since, std::uint64_t most) const {
  const Lbn first = lbn, end = std::min(lbn + most, geometry_.sectors());
  if (lbn == end) return 0;
  for (std::size_t i = geometry_.extent_of(lbn);; ++i) {
    const auto& e = geometry_.extents()[i];
    const Lbn here_end = std::min(end, e.end());
    const Duration here = span_within(e, lbn, here_end - lbn, Access::read);
    if (here > since) return lbn - first + passed_within(e, lbn, since);
    lbn = here_end;
    if (lbn == end) return lbn - first;
    since -= here + jumps_[static_cast<int>(Access::read)][i];
    if (since < Duration::zero()) return lbn - first;
  }
}

}  // namespace sunstar::disk
