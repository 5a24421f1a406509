// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sw/file_systems/galley/requests/chunks.h"

// The two ends of a request. Its bytes are a stream: those of all chunks, one behind the other, in the order of the
// list. The I/O processor sees where the stream lies in the fork, the compute processor where it lies in memory.
namespace sunstar::file_systems::galley {

/// A contiguous run of bytes of a fork. An I/O processor gets a list of them.
struct Extent {
  std::uint64_t offset = 0;  ///< into the fork, bytes
  std::uint64_t bytes = 0;   ///< never 0 in a list
  bool operator==(const Extent&) const = default;
};

/// Where the stream of the chunks lies in the fork. Neighbours in the list become one extent if the second begins in
/// the fork where the first ends, wherever they lie in memory; the order is kept.
std::vector<Extent> file_extents(std::span<const Chunk> chunks);

/// Where the stream of the chunks lies in memory.
class Scatter {
 public:
  /// Reads `chunks` as long as it lives. Takes time and memory (8 bytes a chunk) in proportion to their number.
  explicit Scatter(std::span<const Chunk> chunks);

  /// Bytes of the stream.
  std::uint64_t bytes() const { return ends_.empty() ? 0 : ends_.back(); }

  /// Calls visit(memory offset, stream position, bytes) for each contiguous piece of memory in [position, position +
  /// bytes) of the stream, which must not go beyond its end, in the stream's order; neighbours that touch in memory are
  /// one piece. It takes O(log n) of n chunks to find the first.
  template <class Visit>
  void for_each(std::uint64_t position, std::uint64_t bytes, Visit visit) const {
    assert(position <= this->bytes() && bytes <= this->bytes() - position);
    const std::uint64_t end = position + bytes;
    std::size_t i = chunk_at(position);
    while (position < end) {
      const std::uint64_t from = position;
      const std::uint64_t memory = chunks_[i].memory + (chunks_[i].bytes - (ends_[i] - position));
      do {
        position = std::min(ends_[i++], end);
      } while (position < end && chunks_[i].memory == memory + (position - from));
      visit(memory, from, position - from);
    }
  }

 private:
  /// The chunk that holds a position of the stream; behind the last one for its end.
  std::size_t chunk_at(std::uint64_t position) const {
    return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), position) - ends_.begin());
  }

  std::span<const Chunk> chunks_;
  std::vector<std::uint64_t> ends_;  ///< position of the stream behind each chunk
};

}  // namespace sunstar::file_systems::galley
