// SPDX-License-Identifier: MIT
#include "platforms/machine/report/sharing.h"

#include <algorithm>

namespace sunstar::machine {

double fairness(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (const double v : values) {
    sum += v;
    squares += v * v;
  }
  return squares > 0 ? sum * sum / (static_cast<double>(values.size()) * squares) : 1;
}

void add_sharing(const std::vector<double>& shared, const std::vector<double>& alone, NamedFigures& sections) {
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
