// SPDX-License-Identifier: MIT
#include "models/disk/geometry.h"

#include <algorithm>
#include <cassert>

namespace sunstar::disk {

Geometry::Geometry(const DriveParams& p) : heads_(p.heads), zones_(p.zones) {
  for (const Zone& z : zones_) {
    zone_start_.push_back(cylinders_);
    cylinders_ += z.cylinders;
  }
  auto regions = p.regions;
  if (regions.empty()) regions.push_back({0, 0, cylinders_ - 1, heads_ - 1});
  for (const DataRegion& r : regions) {
    const std::uint64_t first = std::uint64_t{r.first_cylinder} * heads_ + r.first_track;
    const std::uint64_t end = std::uint64_t{r.last_cylinder} * heads_ + r.last_track + 1;
    for (std::uint32_t z = 0; z < zones_.size(); ++z) {
      const std::uint64_t zone_first = std::uint64_t{zone_start_[z]} * heads_;
      const std::uint64_t from = std::max(first, zone_first);
      const std::uint64_t to = std::min(end, zone_first + std::uint64_t{zones_[z].cylinders} * heads_);
      if (from >= to) continue;
      extents_.push_back({sectors_, (to - from) * zones_[z].sectors_per_track, from, z});
      sectors_ += extents_.back().sectors;
    }
  }
}

std::size_t Geometry::extent_of(Lbn lbn) const {
  assert(lbn < sectors_);
  const auto after = std::upper_bound(extents_.begin(), extents_.end(), lbn,
                                      [](Lbn l, const Extent& e) { return l < e.first; });
  return static_cast<std::size_t>(after - extents_.begin()) - 1;
}

Address Geometry::address(Lbn lbn) const {
  const Extent& e = extents_[extent_of(lbn)];
  const std::uint32_t per_track = zones_[e.zone].sectors_per_track;
  const std::uint64_t track = e.first_track + (lbn - e.first) / per_track;
  return {{static_cast<std::uint32_t>(track / heads_), static_cast<std::uint32_t>(track % heads_)},
          static_cast<std::uint32_t>((lbn - e.first) % per_track)};
}

std::optional<Lbn> Geometry::lbn(const Address& a) const {
  if (a.track.head >= heads_) return {};
  const std::uint64_t track = std::uint64_t{a.track.cylinder} * heads_ + a.track.head;
  for (const Extent& e : extents_) {
    const std::uint32_t per_track = zones_[e.zone].sectors_per_track;
    if (track < e.first_track || track >= e.first_track + e.sectors / per_track) continue;
    if (a.sector >= per_track) return {};
    return e.first + (track - e.first_track) * per_track + a.sector;
  }
  return {};
}

Lbn Geometry::track_end(Lbn lbn) const {
  const Extent& e = extents_[extent_of(lbn)];
  const std::uint32_t per_track = zones_[e.zone].sectors_per_track;
  return e.first + ((lbn - e.first) / per_track + 1) * per_track;
}

Lbn Geometry::cylinder_end(Lbn lbn) const {
  const Extent& e = extents_[extent_of(lbn)];
  const Lbn end = track_end(lbn) + std::uint64_t{heads_ - 1 - address(lbn).track.head} * zones_[e.zone].sectors_per_track;
  return std::min(end, e.end());
}

std::uint32_t Geometry::first_slot(std::uint64_t track, std::uint32_t zone) const {
  const Zone& z = zones_[zone];
  const std::uint64_t in_zone = track - std::uint64_t{zone_start_[zone]} * heads_;
  const std::uint64_t a_cylinder = std::uint64_t{heads_ - 1} * z.track_skew + z.cylinder_skew;
  return static_cast<std::uint32_t>((in_zone / heads_ * a_cylinder + in_zone % heads_ * z.track_skew) % z.sectors_per_track);
}

}  // namespace sunstar::disk
