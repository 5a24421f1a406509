// SPDX-License-Identifier: MIT
#include "sw/file_systems/galley/requests/extents.h"

namespace sunstar::file_systems::galley {

std::vector<Extent> file_extents(std::span<const Chunk> chunks) {
  std::vector<Extent> extents;
  extents.reserve(chunks.size());
  for (const Chunk& chunk : chunks) {
    if (!extents.empty() && extents.back().offset + extents.back().bytes == chunk.offset)
      extents.back().bytes += chunk.bytes;
    else extents.push_back({chunk.offset, chunk.bytes});
  }
  return extents;
}

Scatter::Scatter(std::span<const Chunk> chunks) : chunks_(chunks), ends_(chunks.size()) {
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < chunks.size(); ++i) ends_[i] = end += chunks[i].bytes;
}

}  // namespace sunstar::file_systems::galley
