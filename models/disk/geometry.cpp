// SPDX-License-Identifier: MIT
#include "models/disk/geometry.h"

#include <cassert>

namespace sunstar::disk {

Geometry::Geometry(const DriveParams& p) : heads_(p.heads), mapping_(p.mapping), zones_(p.zones) {
  for (Zone& z : zones_) {
    cylinders_ += z.skipped_cylinders;
    zone_start_.push_back(cylinders_);
    cylinders_ += z.cylinders;
    std::sort(z.slipped.begin(), z.slipped.end());
    z.slipped.erase(std::unique(z.slipped.begin(), z.slipped.end()), z.slipped.end());
  }
  for (std::uint32_t z = 0; z < zones_.size(); ++z) add_zone(p, z);
  if (p.sectors != 0 && p.sectors < sectors_) {
    sectors_ = p.sectors;
    while (extents_.back().first >= sectors_) extents_.pop_back();
    extents_.back().sectors = sectors_ - extents_.back().first;
  }
  index();
}

// About two groups of neighbours to an extent, so that extent_of() looks at one or two extents.
void Geometry::index() {
  while (sectors_ >> shift_ > 2 * extents_.size()) ++shift_;
  std::uint32_t extent = 0;
  for (Lbn lbn = 0; lbn < sectors_; lbn += Lbn{1} << shift_) {
    while (lbn >= extents_[extent].end()) ++extent;
    nearby_.push_back(extent);
  }
}

// The sectors of a zone fall into units that share their spares (the zone, ranges of cylinders, cylinders). In each
// unit, data fill the sectors that are neither reserved nor slipped, up to the unit's spares.
void Geometry::add_zone(const DriveParams& p, std::uint32_t zone) {
  const Zone& z = zones_[zone];
  if (p.sparing == Sparing::sectors_at_track_end) {
    const std::uint32_t row = z.sectors_per_track - z.spares;
    return add(zone, row, z.reserved, std::uint64_t{z.cylinders} * heads_ * row);
  }
  const std::uint64_t per_slip = p.sparing == Sparing::tracks_at_zone_end ? z.sectors_per_track : 1;
  const std::uint64_t cylinder = std::uint64_t{heads_} * z.sectors_per_track, zone_end = z.cylinders * cylinder;
  const std::uint64_t unit = p.sparing == Sparing::sectors_at_cylinder_end ? cylinder
                             : p.sparing == Sparing::sectors_at_range_end  ? cylinder * p.spare_range
                                                                           : zone_end;
  auto slipped = z.slipped.begin();
  for (std::uint64_t begin = 0; begin < zone_end; begin += unit) {
    const std::uint64_t end = std::min(begin + unit, zone_end);
    std::uint64_t from = std::max(begin, z.reserved);
    const auto last = std::find_if(slipped, z.slipped.end(), [&](std::uint64_t s) { return s * per_slip >= end; });
    const auto slips = static_cast<std::uint64_t>(
        last - std::find_if(slipped, last, [&](std::uint64_t s) { return s * per_slip >= from; }));
    const std::uint64_t spares =
        (p.slipped_use_spares ? std::max<std::uint64_t>(z.spares, slips) : z.spares + slips) * per_slip;
    std::uint64_t left = end - std::min(end, from + spares);
    for (; slipped != last; ++slipped) {
      const std::uint64_t gap = *slipped * per_slip;
      if (gap >= from) {
        const std::uint64_t here = std::min(gap - from, left);
        add(zone, z.sectors_per_track, from, from + here);
        left -= here;
        from = gap + per_slip;
      }
    }
    add(zone, z.sectors_per_track, from, from + left);
  }
}

/// Sectors [from, to) of a zone, counted in rows from the zone's first track.
void Geometry::add(std::uint32_t zone, std::uint32_t row, std::uint64_t from, std::uint64_t to) {
  if (from >= to) return;
  extents_.push_back({sectors_, to - from, std::uint64_t{zone_start_[zone]} * heads_ + from / row,
                      static_cast<std::uint32_t>(from % row), zone, row});
  sectors_ += to - from;
}

std::size_t Geometry::extent_of(Lbn lbn) const {
  assert(lbn < sectors_);
  std::size_t extent = nearby_[lbn >> shift_];
  while (lbn >= extents_[extent].end()) ++extent;
  return extent;
}

Track Geometry::track(std::uint64_t number, std::uint32_t zone) const {
  const auto cylinder = static_cast<std::uint32_t>(number / heads_),
             order = static_cast<std::uint32_t>(number % heads_);
  return {cylinder, backward(cylinder, zone) ? heads_ - 1 - order : order};
}

Address Geometry::address(const Extent& e, Lbn lbn) const {
  const std::uint64_t position = e.position(lbn);
  return {track(e.first_track + position / e.row, e.zone), static_cast<std::uint32_t>(position % e.row)};
}

Lbn Geometry::track_begin(Lbn lbn) const {
  std::size_t i = extent_of(lbn);
  const std::uint64_t number = extents_[i].track(lbn);
  while (extents_[i].first_track == number && i > 0 && extents_[i - 1].track(extents_[i - 1].end() - 1) == number) --i;
  const Extent& e = extents_[i];
  return e.first_track == number ? e.first : e.first + (number - e.first_track) * e.row - e.first_sector;
}

Lbn Geometry::track_end(Lbn lbn) const {
  std::size_t i = extent_of(lbn);
  const std::uint64_t number = extents_[i].track(lbn);
  while (extents_[i].track(extents_[i].end() - 1) == number && i + 1 < extents_.size() &&
         extents_[i + 1].first_track == number)
    ++i;
  const Extent& e = extents_[i];
  return std::min(e.end(), e.first + (number + 1 - e.first_track) * e.row - e.first_sector);
}

Lbn Geometry::cylinder_end(Lbn lbn) const {
  std::size_t i = extent_of(lbn);
  const std::uint64_t after = (extents_[i].track(lbn) / heads_ + 1) * heads_;
  while (i + 1 < extents_.size() && extents_[i + 1].first_track < after) ++i;
  const Extent& e = extents_[i];
  return std::min(e.end(), e.first + (after - e.first_track) * e.row - e.first_sector);
}

std::uint32_t Geometry::first_slot(std::uint64_t track, std::uint32_t zone) const {
  const Zone& z = zones_[zone];
  const std::uint64_t in_zone = track - std::uint64_t{zone_start_[zone]} * heads_;
  const std::uint64_t a_cylinder = std::uint64_t{heads_ - 1} * z.track_skew + z.cylinder_skew;
  return static_cast<std::uint32_t>((z.offset + in_zone / heads_ * a_cylinder + in_zone % heads_ * z.track_skew) %
                                    z.sectors_per_track);
}

}  // namespace sunstar::disk
