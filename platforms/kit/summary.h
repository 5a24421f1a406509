// SPDX-License-Identifier: MIT
#pragma once
#include <cmath>
#include <cstddef>
#include <span>

// Summaries of values, such as the values of a run's trials.
namespace sunstar::kit {

/// Mean and coefficient of variation (sample standard deviation, with n - 1, divided by the mean) of the trials'
/// values. The coefficient is 0 for fewer than two values and for a mean of 0.
struct Summary {
  std::size_t count = 0;
  double mean = 0;
  double coefficient_of_variation = 0;
};
inline Summary summarise(std::span<const double> values) {
  Summary s{values.size(), 0, 0};
  if (values.empty()) return s;
  for (double v : values) s.mean += v;
  s.mean /= static_cast<double>(values.size());
  if (values.size() < 2 || s.mean == 0) return s;
  double squares = 0;
  for (double v : values) squares += (v - s.mean) * (v - s.mean);
  s.coefficient_of_variation = std::sqrt(squares / static_cast<double>(values.size() - 1)) / std::abs(s.mean);
  return s;
}

}  // namespace sunstar::kit
