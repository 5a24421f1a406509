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
  void add(std::uint32_t disk, const DiskDriver::Sectors& sectors);
  /// Gives the row's stale units up if there are too many: their data may be lost. Returns whether it did.
  bool give_up(std::uint64_t row);
  /// The unit cannot be made anew.
  void give_up(Member unit);
  /// A disk has failed: the data of rows that wait for new checks cannot be computed from their checks.
  void disk_failed();

  /// Whether any unit or row is to be made anew. take_unit() removes a unit; a row stays until row_done().
  bool any() const { return !units_.empty() || !rows_.empty(); }
  std::optional<Member> take_unit();
  std::uint64_t row_without_checks() const { return rows_.front(); }
  void row_done() { rows_.pop_front(); }

  bool any_lost() const { return !lost_.empty(); }
  std::vector<LostWrite> take_lost() { return std::exchange(lost_, {}); }

 private:
  void note_lost(std::uint64_t row);
  void trust(const Extent& unit);

  Array& array_;
  Counts& counts_;
  std::deque<Member> units_;        // stale units to be made anew
  std::deque<std::uint64_t> rows_;  // rows whose checks must be made anew; the first may be in work
  std::vector<LostWrite> lost_;
};

}  // namespace sunstar::io::redundant
