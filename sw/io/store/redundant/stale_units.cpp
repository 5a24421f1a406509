// SPDX-License-Identifier: MIT
#include "sw/io/store/redundant/stale_units.h"

namespace sunstar::io::redundant {

void StaleUnits::add(std::uint32_t disk, const DiskDriver::Sectors& sectors) {
  const Geometry& g = array_.geometry();
  for (const auto& range : sectors)
    for (std::uint64_t at = range.lower() / g.unit_sectors(); at * g.unit_sectors() < range.upper(); ++at) {
      const auto m = g.member_at(disk, at * g.unit_sectors());
      if (!m || m->row >= array_.rows()) continue;
      const Extent unit = g.whole(*m);
      if (array_.failures().has(unit)) continue;
      array_.mark_stale(unit);
      ++counts_.units_doubted;
      // The row's checks fit its data, or will when its writes have ended, unless units of it have been given up.
      if (std::ranges::find(rows_, m->row) == rows_.end()) {
        units_.push_back(*m);
      } else {  // the unit's content cannot be computed from the others
        note_lost(m->row);
        trust(unit);
        rows_.push_back(m->row);
      }
    }
}

bool StaleUnits::give_up(std::uint64_t row) {
  const Geometry& g = array_.geometry();
  std::vector<Extent> bad;
  std::uint32_t missing = 0;
  for (std::uint32_t m = 0; m < g.members(); ++m) {
    const Extent unit = g.whole({row, m});
    missing += array_.failures().has(unit);
    if (array_.failures().bad.contains(unit)) bad.push_back(unit);
  }
  if (missing <= g.checks() || bad.empty()) return false;
  note_lost(row);
  for (const Extent& unit : bad) trust(unit);
  rows_.push_back(row);
  return true;
}

void StaleUnits::give_up(Member unit) {
  const Extent extent = array_.geometry().whole(unit);
  if (!array_.failures().bad.contains(extent)) return;
  note_lost(unit.row);
  trust(extent);
}

void StaleUnits::disk_failed() {
  for (const std::uint64_t row : rows_) note_lost(row);
}

std::optional<Member> StaleUnits::take_unit() {
  if (units_.empty()) return std::nullopt;
  const Member unit = units_.front();
  units_.pop_front();
  return unit;
}

void StaleUnits::trust(const Extent& unit) {
  array_.trust(unit);
  ++counts_.units_given_up;
}

// The row's missing data may be lost: stale units, and units that would be computed from them.
void StaleUnits::note_lost(std::uint64_t row) {
  const Geometry& g = array_.geometry();
  for (std::uint32_t m = 0; m < g.data(); ++m) {
    const Extent unit = g.whole({row, m});
    if (!array_.failures().has(unit)) continue;
    for (std::uint32_t u = 0; u < array_.units(); ++u)
      if (const auto sector = array_.sector_at(u, unit.sector); sector && array_.unit_disk(u) == unit.disk)
        lost_.push_back({u, *sector, unit.sectors});
  }
}

}  // namespace sunstar::io::redundant
