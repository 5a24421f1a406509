// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "models/disk/seek_params.h"

namespace sunstar::disk {

/// Time to move the arm and settle for a read, by distance. It comes from a table of measured times, from the two-piece
/// formula of Ruemmler and Wilkes (1994; a square root while the arm accelerates all the way, a line once it coasts),
/// or from the table and beyond it the formula. A distance of 0 costs nothing; a distance below the table's first costs
/// as much as the first.
class SeekCurve {
 public:
  explicit SeekCurve(const SeekParams& params) : params_(params) {}

  Duration operator()(std::uint32_t cylinders) const {
    if (cylinders == 0) return Duration::zero();
    const auto& table = params_.table;
    if (!table.empty() && (cylinders <= table.back().cylinders ||
                           (params_.beyond_table == BeyondTable::last_two_points && table.size() > 1)))
      return measured(cylinders);
    if (!table.empty() && params_.beyond_table == BeyondTable::last_two_points) return table.back().time;
    if (cylinders <= params_.short_limit)
      return params_.short_constant +
             Duration{std::llround(static_cast<double>(params_.short_root.count()) * std::sqrt(cylinders))};
    return params_.long_constant + params_.long_slope * cylinders;
  }

 private:
  Duration measured(std::uint32_t cylinders) const {
    const auto& table = params_.table;
    auto above = std::ranges::lower_bound(table, cylinders, {}, &SeekPoint::cylinders);
    if (above == table.begin()) return above->time;
    if (above == table.end()) --above;
    const SeekPoint &a = *(above - 1), &b = *above;
    return a.time + (b.time - a.time) * static_cast<std::int64_t>(cylinders - a.cylinders) /
                        static_cast<std::int64_t>(b.cylinders - a.cylinders);
  }

  SeekParams params_;
};

}  // namespace sunstar::disk
