// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>

#include "models/core/figure.h"

namespace sunstar::machine {

/// Jain's index of fairness: 1 if all values are the same, 1/n if all but one are zero (Jain, Chiu and Hawe, "A
/// quantitative measure of fairness and discrimination for resource allocation in shared computer systems", 1984).
inline double fairness(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (const double v : values) {
    sum += v;
    squares += v * v;
  }
  return squares > 0 ? sum * sum / (static_cast<double>(values.size()) * squares) : 1;
}

/// Adds how long each of several jobs took (`shared`, in seconds) and, where it also ran by itself (`alone`, which may
/// be empty), how much longer that was: sections job0, job1 and so on, and `sharing` with the index of fairness of the
/// jobs' speeds.
inline void add_sharing(const std::vector<double>& shared, const std::vector<double>& alone, NamedFigures& sections) {
  std::vector<double> speeds;
  for (std::size_t j = 0; j < shared.size(); ++j) {
    NamedFigures& section = sections.section("job" + std::to_string(j));
    section.add("elapsed_s", shared[j]);
    if (alone.empty()) continue;
    section.add("alone_s", alone[j]);
    if (alone[j] > 0) {
      section.add("slowdown", shared[j] / alone[j]);
      speeds.push_back(alone[j] / shared[j]);
    }
  }
  if (speeds.empty()) return;
  NamedFigures& section = sections.section("sharing");
  section.add("fairness", fairness(speeds));
  section.add("worst_slowdown", 1 / *std::ranges::min_element(speeds));
}

}  // namespace sunstar::machine
