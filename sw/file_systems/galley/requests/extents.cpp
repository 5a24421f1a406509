// SPDX-License-Identifier: MIT
#include "sw/file_systems/galley/requests/extents.h"

namespace sunstar::file_systems::galley {

std::vector<Extent> file_extents(std::span<const Chunk> chunks) {
  std::vector<Extent> extents;
  for (const Chunk& chunk : chunks) {
    if (!extents.empty() && extents.back().offset + extents.back().bytes == chunk.offset)
      extents.back().bytes += chunk.bytes;
    else extents.push_back({chunk.offset, chunk.bytes});
  }
  return extents;
}

Scatter::Scatter(std::span<const Chunk> chunks) : chunks_(chunks) {
  ends_.reserve(chunks.size());
  std::uint64_t end = 0;
  for (const Chunk& chunk : chunks) ends_.push_back(end += chunk.bytes);
}

}  // namespace sunstar::file_systems::galley
