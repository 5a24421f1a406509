// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <boost/icl/interval_map.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "sw/file_systems/galley/requests/chunks.h"

namespace sunstar::file_systems::galley {

/// Where the chunks of a read overlap in memory. The last one in the list must win, in whatever order their data
/// arrive: so the data of the others are dropped there.
class Overlaps {
 public:
  explicit Overlaps(std::span<const Chunk> chunks) {
    if (!overlap(chunks)) return;
    std::uint64_t position = 0;
    for (const Chunk& chunk : chunks) {
      wins_.set({Interval::right_open(chunk.memory, chunk.memory + chunk.bytes), position - chunk.memory + 1});
      position += chunk.bytes;
    }
  }

  bool any() const { return !wins_.empty(); }

  /// Calls visit(memory offset, stream position, bytes) for the parts of a piece of memory that stay: those of which no
  /// later chunk has bytes, too.
  template <class Visit>
  void for_each_kept(std::uint64_t memory, std::uint64_t position, std::uint64_t bytes, Visit visit) const {
    if (!any()) return visit(memory, position, bytes);
    const auto piece = Interval::right_open(memory, memory + bytes);
    const auto [first, last] = wins_.equal_range(piece);
    for (auto i = first; i != last; ++i) {
      if (i->second != position - memory + 1) continue;
      const std::uint64_t from = std::max(i->first.lower(), memory), to = std::min(i->first.upper(), memory + bytes);
      visit(from, position + (from - memory), to - from);
    }
  }

 private:
  using Interval = boost::icl::interval<std::uint64_t>;

  static bool apart(std::span<const Chunk> in_memory_order) {
    std::uint64_t end = 0;
    for (const Chunk& chunk : in_memory_order) {
      if (chunk.memory < end) return false;
      end = chunk.memory + chunk.bytes;
    }
    return true;
  }
  static bool overlap(std::span<const Chunk> chunks) {
    if (apart(chunks)) return false;
    std::vector<Chunk> sorted(chunks.begin(), chunks.end());
    std::ranges::sort(sorted, {}, &Chunk::memory);
    return !apart(sorted);
  }

  // By memory: stream position less memory offset, plus one, of the chunk that wins. 0 would be the map's neutral
  // value.
  boost::icl::interval_map<std::uint64_t, std::uint64_t> wins_;
};

}  // namespace sunstar::file_systems::galley
