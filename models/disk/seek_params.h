// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"

namespace sunstar::disk {

/// One measured seek time.
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
enum class BeyondTable { formula, last_two_points };
BOOST_DESCRIBE_ENUM(BeyondTable, formula, last_two_points)

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

}  // namespace sunstar::disk
