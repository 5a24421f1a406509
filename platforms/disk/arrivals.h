// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

#include "platforms/disk/array_player.h"
#include "platforms/disk/config.h"

namespace sunstar::disk_platform {

/// Reads at most `limit` requests (0: all) for an array of `sectors` sectors of that size. Throws a ConfigError that
/// names file and line for a line that is not a request, goes beyond the array, or is earlier than the one before it.
std::vector<ArrayRequest> read_arrivals(const ArrivalsParams& load, std::uint64_t sectors, std::uint64_t sector_bytes,
                                        std::uint64_t limit);

}  // namespace sunstar::disk_platform
