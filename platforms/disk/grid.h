// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/disk/config.h"

namespace sunstar::disk_platform {

/// A point of a measured grid of read rate against write bandwidth; times in microseconds.
struct GridPoint {
  std::uint32_t read_index = 0, write_index = 0;
  double read_rate = 0, write_bytes_per_s = 0;
  std::uint64_t read_bytes = 0;
  std::optional<double> p50 = {}, p95 = {};  ///< measured, as far as known
  bool saturated = false;                    ///< so that it is not judged
  /// Whether a fit looks at it. The first column has hardly any reads.
  bool judged() const { return read_index > 0 && !saturated && p50 && p95; }
};

/// Reads a CSV file with the columns r_idx, w_idx, offered_read_iops, offered_write_MBps, read_block_bytes,
/// read_p50_us, read_p95_us and, if there, likely_saturated. Throws a ConfigError that names file and line.
std::vector<GridPoint> read_grid(const std::string& file);

/// How the tool that measured a grid ran its jobs.
struct GridTool {
  std::uint32_t processors = 8;  ///< a reader on each; one fewer beside a writer
  Pacing pacing = Pacing::paced;
  std::uint32_t write_depth = 64;
  Duration duration = std::chrono::milliseconds{200};
};

/// Percentiles of simulated reads in microseconds, and how many ended a second.
struct Simulated {
  double p50 = 0, p95 = 0, p99 = 0, p999 = 0, rate = 0;
};
Simulated simulate(const nvme::DriveParams& drive, const GridPoint& point, const GridTool& tool, std::uint64_t seed);

/// How far simulated times are from measured ones: the mean over the judged points of the natural logarithms' distance
/// of p50 and half that of p95, each at most 1. The first saturated point of each row counts with the distance of its
/// p50 to 2.5 times the least one, if it should be beyond that knee and is not.
double distance(const nvme::DriveParams& drive, const std::vector<GridPoint>& grid, const GridTool& tool,
                std::uint64_t seed);

/// Finds the eight parameters of a drive by which it is nearest to a grid.
nvme::DriveParams fitted(nvme::DriveParams from, const std::vector<GridPoint>& grid, const GridTool& tool,
                         std::size_t evaluations, std::uint64_t seed);

/// `sunstar-disk fit`: argv[0] is "fit". Returns the exit code.
int fit_main(int argc, const char* const* argv);

}  // namespace sunstar::disk_platform
