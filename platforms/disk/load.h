// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/random.h"
#include "platforms/disk/config.h"

namespace sunstar::disk_platform {

struct Request {
  Time arrives{};  ///< of a load whose requests come at their times
  bool write = false;
  std::uint64_t lbn = 0;
  std::uint32_t sectors = 0;
  std::uint32_t stream = 0;
  std::vector<std::uint64_t> partial{};  ///< its sectors that the trace asks for in part
  Duration measured{0};                  ///< response time of the real drive; 0: unknown
  Duration think{0};                     ///< until the next request, from this one's end
};

/// Reads at most `requests` requests (0: all) of the workload's file for a drive or an array with that many sectors of
/// that size. The sectors of a file have 512 bytes: a drive with larger ones reads those that a write changes in part
/// before it writes. The requests of the kind arrivals are in the order of their times. Throws a ConfigError that names
/// file and line for a line that is no request, goes beyond the last sector, or is earlier than the one before it; and
/// one if the file says neither think times nor response times and the kind is trace, unless think_scale is 0.
std::vector<Request> read_requests(const WorkloadParams& load, std::uint64_t sectors, std::uint64_t sector_bytes);

/// Makes the requests of a synthetic load, one at a time.
class SyntheticLoad {
 public:
  SyntheticLoad(const SyntheticParams& params, std::uint64_t drive_sectors, std::uint64_t sector_bytes,
                std::uint64_t seed);
  Request next();

 private:
  double exponential();
  std::uint32_t draw_sectors();

  SyntheticParams params_;
  std::uint64_t span_, unit_;  // sectors
  std::uint32_t size_;
  std::int64_t local_;
  RandomStream random_;
  Request last_;
};

}  // namespace sunstar::disk_platform
