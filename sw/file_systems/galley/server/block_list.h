// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sw/file_systems/galley/requests/extents.h"

// What an I/O processor makes of a request: the list of blocks that it takes, and which bytes of each.
namespace sunstar::file_systems::galley {

/// A run of bytes inside a block.
struct Part {
  std::uint32_t offset = 0;  ///< into the block
  std::uint32_t bytes = 0;
};

/// What a request takes from one block, or gives to it: parts that follow one another in the request's stream.
struct BlockUse {
  std::uint64_t block = 0;     ///< of the fork
  std::uint64_t position = 0;  ///< of its first byte in the stream
  std::uint32_t bytes = 0;
  std::uint32_t first_part = 0, parts = 0;  ///< in BlockList::parts
};

/// The blocks of a request in the order of its list. A block occurs again if the list comes back to it.
struct BlockList {
  std::vector<BlockUse> uses;
  std::vector<Part> parts;
  std::uint64_t end = 0;  ///< of the last byte in the fork

  BlockList(std::span<const Extent> extents, std::uint32_t block_bytes) {
    std::uint64_t position = 0;
    for (const Extent& extent : extents) {
      const std::uint64_t stop = extent.offset + extent.bytes;
      end = std::max(end, stop);
      for (std::uint64_t at = extent.offset; at < stop;) {
        const std::uint64_t block = at / block_bytes;
        const auto bytes = static_cast<std::uint32_t>(std::min(stop, (block + 1) * block_bytes) - at);
        if (uses.empty() || uses.back().block != block) {
          uses.push_back(
              {.block = block, .position = position, .first_part = static_cast<std::uint32_t>(parts.size())});
        }
        parts.push_back({static_cast<std::uint32_t>(at % block_bytes), bytes});
        uses.back().bytes += bytes;
        ++uses.back().parts;
        at += bytes;
        position += bytes;
      }
    }
  }

  std::span<const Part> parts_of(const BlockUse& use) const {
    return std::span(parts).subspan(use.first_part, use.parts);
  }
  /// Whether the use covers its whole block.
  bool whole(const BlockUse& use, std::uint32_t block_bytes) const {
    return use.parts == 1 && use.bytes == block_bytes;
  }

  /// Calls visit(offset into the block, bytes) for the parts of `use` that lie in [from, from + bytes) of its bytes.
  template <class Visit>
  void for_each(const BlockUse& use, std::uint32_t from, std::uint32_t bytes, Visit visit) const {
    for (const Part& part : parts_of(use)) {
      if (bytes == 0) return;
      if (from >= part.bytes) {
        from -= part.bytes;
        continue;
      }
      const std::uint32_t some = std::min(part.bytes - from, bytes);
      visit(part.offset + from, some);
      bytes -= some;
      from = 0;
    }
  }
};

}  // namespace sunstar::file_systems::galley
