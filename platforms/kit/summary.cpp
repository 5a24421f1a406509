// SPDX-License-Identifier: MIT
#include "platforms/kit/summary.h"

#include <algorithm>
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

Percentiles percentiles(std::vector<Duration> values) {
  Percentiles p{values.size()};
  if (values.empty()) return p;
  // Nothing below a rank is looked at again, so each partition works only on the values above the previous rank.
  auto from = values.begin();
  const auto rank = [&](std::size_t percent) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>((percent * values.size() + 99) / 100 - 1);
    std::nth_element(from, at, values.end());
    from = at;
    return *at;
  };
  p.p50 = rank(50), p.p90 = rank(90), p.p99 = rank(99), p.max = rank(100);
  return p;
}

}  // namespace sunstar::kit
