// SPDX-License-Identifier: MIT
#pragma once
#include "sw/io/store/redundant/array.h"

namespace sunstar::io::redundant {

/// The work of the servers of arrays.
struct Counts {
  RowCounts rows;                 ///< rows of successful writes
  std::uint64_t corrections = 0;  ///< units that could not be read and were computed and written again
  std::uint64_t drives_failed = 0, rows_rebuilt = 0, rebuilds = 0, rebuilds_complete = 0;
  Duration rebuilding{};             ///< the longest complete rebuild
  std::uint64_t units_doubted = 0;   ///< units that may have lost data with a drive's power
  std::uint64_t units_given_up = 0;  ///< such units that could not be made anew from the rest of their rows
  std::uint64_t rows_scrubbed = 0;
  std::uint64_t rows_mismatched = 0;       ///< rows whose checks did not match the data
  std::uint64_t mismatches_undecided = 0;  ///< such rows in which the wrong unit could not be found
};

/// Units that may be stale because their disk lost its power after writing them and before it synchronised. A stale
/// unit counts as bad until it has been computed from the rest of its row and written. If too many units of a row are
/// stale, they are given up: they are trusted again, the row's missing data count as lost writes, and its checks must
/// be computed anew from its present data. The list is in the server's memory; if that is lost, too, no unit is
/// repaired.
class StaleUnits {
 public:
  StaleUnits(Array& array, Counts& counts) : array_(array), counts_(counts) {}

  /// The disk may have lost its writes to these sectors.
  void add(std::uint32_t disk, const DiskDriver::Sectors& sectors) {
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

  /// Gives the row's stale units up if there are too many: their data may be lost. Returns whether it did.
  bool give_up(std::uint64_t row) {
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

  /// The unit cannot be made anew.
  void give_up(Member unit) {
    const Extent extent = array_.geometry().whole(unit);
    if (!array_.failures().bad.contains(extent)) return;
    note_lost(unit.row);
    trust(extent);
  }

  /// A disk has failed: the data of rows that wait for new checks cannot be computed from their checks.
  void disk_failed() {
    for (const std::uint64_t row : rows_) note_lost(row);
  }

  /// Whether any unit or row is to be made anew. take_unit() removes a unit; a row stays until row_done().
  bool any() const { return !units_.empty() || !rows_.empty(); }

  std::optional<Member> take_unit() {
    if (units_.empty()) return std::nullopt;
    const Member unit = units_.front();
    units_.pop_front();
    return unit;
  }

  std::uint64_t row_without_checks() const { return rows_.front(); }
  void row_done() { rows_.pop_front(); }

  bool any_lost() const { return !lost_.empty(); }
  std::vector<LostWrite> take_lost() { return std::exchange(lost_, {}); }

 private:
  // The row's missing data may be lost: stale units, and units that would be computed from them.
  void note_lost(std::uint64_t row) {
    const Geometry& g = array_.geometry();
    for (std::uint32_t m = 0; m < g.data(); ++m) {
      const Extent unit = g.whole({row, m});
      if (!array_.failures().has(unit)) continue;
      for (std::uint32_t u = 0; u < array_.units(); ++u)
        if (const auto sector = array_.sector_at(u, unit.sector); sector && array_.unit_disk(u) == unit.disk)
          lost_.push_back({u, *sector, unit.sectors});
    }
  }

  void trust(const Extent& unit) {
    array_.trust(unit);
    ++counts_.units_given_up;
  }

  Array& array_;
  Counts& counts_;
  std::deque<Member> units_;        // stale units to be made anew
  std::deque<std::uint64_t> rows_;  // rows whose checks must be made anew; the first may be in work
  std::vector<LostWrite> lost_;
};

}  // namespace sunstar::io::redundant
