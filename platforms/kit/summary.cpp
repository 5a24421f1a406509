// SPDX-License-Identifier: MIT
#include "platforms/kit/summary.h"

#include <cmath>

namespace sunstar::kit {

Summary summarise(std::span<const double> values) {
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
