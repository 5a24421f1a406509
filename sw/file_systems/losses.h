// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

namespace sunstar::file_systems {

/// What a run lost because a processor stopped.
struct Losses {
  struct Range {
    std::uint32_t file;
    std::uint64_t offset, bytes;
  };
  std::uint64_t calls = 0, bytes = 0;     ///< never made
  std::uint64_t cached_bytes = 0;         ///< made, and lost with the cache that held them
  std::vector<std::uint32_t> processors;  ///< that stopped: their buffers are gone
  std::vector<Range> ranges;              ///< of both; the file may hold the old bytes there
};

}  // namespace sunstar::file_systems
