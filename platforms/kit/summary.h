// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "models/core/quantity.h"

// Summaries of many values, such as the trials of a run or the latencies of its requests.
namespace sunstar::kit {

/// Mean and coefficient of variation (sample standard deviation, with n - 1, divided by the mean) of the trials'
/// values. The latter is 0 for fewer than two values and for a mean of 0.
struct Summary {
  std::size_t count = 0;
  double mean = 0;
  double coefficient_of_variation = 0;
};
Summary summarise(std::span<const double> values);

/// Exact percentiles by nearest rank: p90 is the least value that at least 90 % of the values do not exceed.
struct Percentiles {
  std::size_t count = 0;
  Duration p50{}, p90{}, p99{}, max{};
};
Percentiles percentiles(std::vector<Duration> values);

}  // namespace sunstar::kit
