// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <span>

// Summaries of values, such as those of the trials of a run.
namespace sunstar::kit {

/// Mean and coefficient of variation (sample standard deviation, with n - 1, divided by the mean) of the trials'
/// values. The latter is 0 for fewer than two values and for a mean of 0.
struct Summary {
  std::size_t count = 0;
  double mean = 0;
  double coefficient_of_variation = 0;
};
Summary summarise(std::span<const double> values);

}  // namespace sunstar::kit
