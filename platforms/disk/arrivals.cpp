// SPDX-License-Identifier: MIT
#include "platforms/disk/arrivals.h"

#include <cmath>
#include <string>

#include "models/core/error.h"
#include "sw/workload/trace/csv.h"

namespace sunstar::disk_platform {

std::vector<ArrayRequest> read_arrivals(const ArrivalsParams& load, std::uint64_t sectors, std::uint64_t sector_bytes,
                                        std::uint64_t limit) {
  constexpr std::uint64_t trace_sector = 512, most_sectors = 1 << 20;
  constexpr double latest_ms = 9e9;  // simulated time is a count of picoseconds with 63 bits
  const std::string file = load.trace.string();
  workload::CsvReader lines(file, {"t_ms", "lbn", "sectors", "op"});
  std::vector<ArrayRequest> all;
  while ((limit == 0 || all.size() < limit) && lines.next()) {
    const auto fail = [&](const std::string& sentence) {
      throw ConfigError(file + ":" + std::to_string(lines.line()) + ": " + sentence + ".");
    };
    ArrayRequest r;
    const double ms = lines.time(0) * load.time_scale;
    if (ms > latest_ms) fail("the time is beyond 9000000 s, the most that can be counted");
    r.arrives = Time{Duration{std::llround(ms * 1e9)}};
    if (!all.empty() && r.arrives < all.back().arrives) fail("the time is earlier than that of the request before it");
    const std::uint64_t first = lines.integer(1, INT64_MAX / trace_sector) * trace_sector,
                        length = lines.integer(2, most_sectors) * trace_sector;
    if (length == 0) lines.refuse(2, "a whole number of at least 1");
    if (lines.field(3) != "R" && lines.field(3) != "W") lines.refuse(3, "R or W");
    r.write =
        load.operations == Operations::as_recorded ? lines.field(3) == "W" : load.operations == Operations::writes;
    if (first % sector_bytes != 0 || length % sector_bytes != 0)
      fail("the request is not in whole sectors of " + std::to_string(sector_bytes) + " bytes");
    r.lbn = first / sector_bytes;
    r.sectors = static_cast<std::uint32_t>(length / sector_bytes);
    if (r.lbn > sectors || r.sectors > sectors - r.lbn)
      fail("sectors " + std::to_string(r.lbn) + " + " + std::to_string(r.sectors) + " go beyond the array, which has " +
           std::to_string(sectors));
    all.push_back(r);
  }
  if (all.empty()) throw ConfigError(file + ": there are no requests in this file.");
  if (all.size() < limit)
    throw ConfigError("workload.requests is " + std::to_string(limit) + "; " + file + " has " +
                      std::to_string(all.size()) + ", and 0 means all of them.");
  return all;
}

}  // namespace sunstar::disk_platform
