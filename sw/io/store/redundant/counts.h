// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "sw/io/store/redundant/plan.h"

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

}  // namespace sunstar::io::redundant
