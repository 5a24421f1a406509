// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "sw/io/store/redundant/plan.h"

namespace sunstar::io::redundant {

/// What the servers of arrays have done.
struct Counts {
  RowCounts rows;                 ///< of writes that have ended well
  std::uint64_t corrections = 0;  ///< units that could not be read and were computed and written again
  std::uint64_t drives_failed = 0, rows_rebuilt = 0, rebuilds = 0, rebuilds_complete = 0;
  Duration rebuilding{};             ///< until complete, the longest
  std::uint64_t units_doubted = 0;   ///< that may have lost data with a drive's power
  std::uint64_t units_given_up = 0;  ///< of these, that could not be made anew from the others of their rows
  std::uint64_t rows_scrubbed = 0;
  std::uint64_t rows_mismatched = 0;       ///< rows whose checks were not what the data ask for
  std::uint64_t mismatches_undecided = 0;  ///< of these, where nothing told which unit was wrong
};

}  // namespace sunstar::io::redundant
