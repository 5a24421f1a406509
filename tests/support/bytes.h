// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/core/random.h"

namespace sunstar::test {

/// Fills a run of bytes with random ones.
inline void fill(std::span<std::byte> bytes, std::uint64_t seed) {
  RandomStream random(seed, "bytes");
  for (std::byte& b : bytes) b = static_cast<std::byte>(random.below(256));
}

/// The first place where two runs of bytes differ; -1 if there is none. Catch2 would print all of them.
inline std::ptrdiff_t difference(std::span<const std::byte> a, std::span<const std::byte> b) {
  if (std::ranges::equal(a, b)) return -1;
  return std::ranges::mismatch(a, b).in1 - a.begin();
}

inline std::vector<std::byte> copy(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace sunstar::test
