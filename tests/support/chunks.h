// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "sw/requests/distributions/mapping.h"

namespace sunstar::test {

/// All chunks of one processor, in order.
inline std::vector<requests::Piece> chunks_of(const requests::Mapping& mapping, std::uint32_t processor) {
  std::vector<requests::Piece> chunks;
  std::uint64_t at = 0;
  while (const auto chunk = mapping.chunk(processor, at)) {
    chunks.push_back(*chunk);
    at = chunk->memory_offset + chunk->bytes;
  }
  return chunks;
}

}  // namespace sunstar::test
