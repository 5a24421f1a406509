// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>

#include "models/core/param.h"

namespace sunstar::disk {

struct SeekPoint {
  std::uint32_t cylinders = 1;
  Duration time{0};
  bool operator==(const SeekPoint&) const = default;
};
BOOST_DESCRIBE_STRUCT(SeekPoint, (), (cylinders, time))
inline std::vector<Param> parameters(const SeekPoint*) {
  return {{"cylinders", "distance in cylinders", "1", "1000000"},
          {"time", "time of a seek over that distance, including settling for a read", "0ms", "1s"}};
}

/// The source of times for seeks beyond the table's last distance.
BOOST_DEFINE_ENUM_CLASS(BeyondTable, formula, last_two_points)

/// Seek time over d cylinders, including settling for a read. Up to the last distance of the table (which may be
/// empty): measured times, interpolated linearly. Beyond it: the formula short_constant + short_root * sqrt(d) up to d
/// = short_limit and long_constant + long_slope * d from there on; or the straight line through the table's last two
/// points.
struct SeekParams {
  Duration short_constant = std::chrono::microseconds{3240};
  Duration short_root = std::chrono::microseconds{400};
  std::uint32_t short_limit = 383;
  Duration long_constant = std::chrono::microseconds{8000};
  Duration long_slope = std::chrono::microseconds{8};
  BeyondTable beyond_table = BeyondTable::formula;
  std::vector<SeekPoint> table;
  bool operator==(const SeekParams&) const = default;
};
BOOST_DESCRIBE_STRUCT(SeekParams, (),
                      (short_constant, short_root, short_limit, long_constant, long_slope, beyond_table, table))
inline std::vector<Param> parameters(const SeekParams*) {
  return {{"short_constant", "short seeks: constant part", "0ms", "1s"},
          {"short_root", "short seeks: part that grows with the square root of the distance in cylinders", "0ms", "1s"},
          {"short_limit", "greatest distance, in cylinders, of a short seek", "0"},
          {"long_constant", "long seeks: constant part", "0ms", "1s"},
          {"long_slope", "long seeks: time for each cylinder of distance", "0ms", "1s"},
          {"beyond_table", "the source of times for seeks beyond the table's last distance"},
          {"table", "measured seeks by growing distance; they replace the formula up to the last"}};
}

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
