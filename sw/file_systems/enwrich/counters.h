// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <cstdint>

#include "models/core/statistics.h"

namespace sunstar::file_systems::enwrich {

/// Why a flush began.
enum class Reason { data, directory, threshold, timeout, read, end };
inline constexpr std::size_t reasons = 6;

/// What ENWRICH counts over all processors.
struct Counters {
  std::uint64_t flushes = 0;
  std::array<std::uint64_t, reasons> begun{};  ///< by reason
  double flush_time = 0;                       ///< seconds
  std::uint64_t flushed_bytes = 0, flushed_entries = 0, flushed_blocks = 0, fetched_blocks = 0;

  void add_statistics(StatisticSet& set);
};

}  // namespace sunstar::file_systems::enwrich
