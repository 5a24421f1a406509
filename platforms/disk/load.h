// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/random.h"
#include "models/disk/geometry.h"
#include "platforms/disk/array_player.h"

namespace sunstar::disk_platform {

/// A request and the think time after it.
struct Request {
  bool write = false;
  disk::Lbn lbn = 0;
  std::uint32_t sectors = 0;
  Duration measured{0};  ///< response time of the real drive; 0: unknown
  Duration think{0};     ///< from the request's end to the next request
};

/// Reads at most `limit` requests (0: all) of a trace for a drive with that many sectors of that size. Throws
/// ConfigError "FILE:LINE: sentence" for a line that is not a request or goes beyond the drive.
std::vector<Request> read_trace(const std::string& file, std::uint64_t drive_sectors, std::uint64_t sector_bytes,
                                std::uint64_t limit);

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

/// Reads at most `limit` requests (0: all) for an array of `sectors` sectors of that size. Throws a ConfigError that
/// names file and line for a line that is not a request, goes beyond the array, or is earlier than the one before it.
std::vector<ArrayRequest> read_arrivals(const ArrivalsParams& load, std::uint64_t sectors, std::uint64_t sector_bytes,
                                        std::uint64_t limit);

}  // namespace sunstar::disk_platform
