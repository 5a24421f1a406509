// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <ranges>
#include <vector>

#include "sw/file_systems/galley/requests/extents.h"

namespace sunstar::file_systems::galley {

/// What a request takes from one block, or gives to it: parts that follow one another in the request's stream.
struct BlockUse {
  std::uint64_t block = 0;     ///< of the fork
  std::uint64_t position = 0;  ///< of its first byte in the stream
  std::uint32_t bytes = 0;
  std::uint32_t parts = 0;
};

/// What an I/O processor makes of a request: its blocks in the order of its extents. A block occurs again if the
/// extents come back to it.
struct BlockList {
  std::vector<BlockUse> uses;
  std::uint64_t parts = 0;  ///< of all uses
  std::uint64_t end = 0;    ///< of the last byte in the fork

  BlockList(const Extents& extents, std::uint32_t block_bytes) : extents_(extents), block_bytes_(block_bytes) {
    for (Extents::Piece left : extents.pieces()) {
      end = std::max(end, left.offset + left.bytes);
      while (left.bytes > 0) {
        const std::uint64_t block = left.offset / block_bytes;
        const std::uint64_t bytes = std::min(left.bytes, (block + 1) * block_bytes - left.offset);
        if (uses.empty() || uses.back().block != block) uses.push_back({block, left.position});
        uses.back().bytes += static_cast<std::uint32_t>(bytes);
        ++uses.back().parts;
        ++parts;
        left = {{left.offset + bytes, left.bytes - bytes}, left.position + bytes};
      }
    }
  }

  /// Whether the use covers its whole block.
  bool whole(const BlockUse& use) const { return use.parts == 1 && use.bytes == block_bytes_; }

  /// A run of bytes inside a block.
  struct Part {
    std::uint32_t offset = 0;  ///< into the block
    std::uint32_t bytes = 0;
  };
  /// The parts of [from, from + bytes) of the use's bytes.
  auto parts_of(const BlockUse& use, std::uint32_t from, std::uint32_t bytes) const {
    const auto part = [begin = use.block * block_bytes_](const Extents::Piece& piece) {
      return Part{static_cast<std::uint32_t>(piece.offset - begin), static_cast<std::uint32_t>(piece.bytes)};
    };
    return std::views::transform(extents_.pieces(use.position + from, bytes), part);
  }
  auto parts_of(const BlockUse& use) const { return parts_of(use, 0, use.bytes); }

 private:
  const Extents& extents_;
  const std::uint32_t block_bytes_;
};

}  // namespace sunstar::file_systems::galley
