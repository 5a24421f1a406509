// SPDX-License-Identifier: MIT
#pragma once
#include <bit>

#include "models/core/random.h"

namespace sunstar::workload {

/// A permutation of the numbers below `n`, one for each `key`: a Feistel network of four rounds, applied again to what
/// is not below `n`.
inline std::uint64_t shuffled(std::uint64_t number, std::uint64_t n, std::uint64_t key) {
  const unsigned half = (static_cast<unsigned>(std::bit_width(n - 1)) + 1) / 2;
  const std::uint64_t low = (std::uint64_t{1} << half) - 1;
  do {
    for (std::uint64_t round = 0; round < 4; ++round)
      number = (number & low) << half | (number >> half ^ (mix64(mix64(key * 4 + round) ^ (number & low)) & low));
  } while (number >= n);
  return number;
}

}  // namespace sunstar::workload
