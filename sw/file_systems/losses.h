// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

#include "sw/io/client_block.h"

namespace sunstar::workload {
struct Job;
}

namespace sunstar::file_systems {

/// What a run lost because nodes stopped.
struct Losses {
  struct Range {
    std::uint32_t file;
    std::uint64_t offset, bytes;
  };
  std::uint64_t calls = 0, bytes = 0;     ///< of calls never made, or not ended
  std::uint64_t cached_bytes = 0;         ///< written, and lost with the cache that held them
  std::vector<std::uint32_t> processors;  ///< that stopped: their buffers are gone
  std::vector<Range> ranges;              ///< of both; the file may hold the old bytes there

  /// Processor `p` stops now: adds its calls that have not ended, and its part of collectives.
  void stops(const workload::Job& job, std::uint32_t p, bool makes_calls);
  /// Adds what is lost with a block, of `block_bytes`, of a client's cache.
  void add_cached(const io::ClientBlock& block, std::uint64_t block_bytes) {
    for (const io::ByteRange range : block.unsent()) {
      cached_bytes += range.bytes();
      ranges.push_back({block.key().file, block.key().number * block_bytes + range.from, range.bytes()});
    }
  }
};

}  // namespace sunstar::file_systems
