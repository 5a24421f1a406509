// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

#include "sw/file_systems/galley/requests/chunks.h"

namespace sunstar::test {

/// A run of bytes that lies contiguously in the fork and in memory.
struct Chunk {
  std::uint64_t offset = 0, memory = 0, bytes = 0;
  bool operator==(const Chunk&) const = default;
};

/// The chunks of a request in its order; neighbours that touch at both ends are one.
inline std::vector<Chunk> chunks_of(const file_systems::galley::Expansion& expansion) {
  std::vector<Chunk> chunks;
  for (const auto& in_fork : expansion.fork.pieces())
    for (const auto& in_memory : expansion.memory.pieces(in_fork.position, in_fork.bytes))
      chunks.push_back({in_fork.offset + (in_memory.position - in_fork.position), in_memory.offset, in_memory.bytes});
  return chunks;
}

}  // namespace sunstar::test
