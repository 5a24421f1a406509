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
  std::uint64_t calls = 0, bytes = 0;     ///< never made, or not ended
  std::uint64_t cached_bytes = 0;         ///< made, and lost with the cache that held them
  std::vector<std::uint32_t> processors;  ///< that stopped: their buffers are gone
  std::vector<Range> ranges;              ///< of both; the file may hold the old bytes there

  /// Adds what processor `p` will not do, because it stops now: the calls that have not ended, of collectives its part.
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
