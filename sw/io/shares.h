// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

namespace sunstar::io {

/// The blocks of a file divided among n processors: the k-th has a contiguous part, or every n-th block.
struct Shares {
  std::uint64_t blocks = 0, n = 1;
  bool cyclic = false;

  std::uint64_t begin(std::uint64_t k) const { return cyclic ? k : blocks * k / n; }
  /// One past the last block, or some block behind it.
  std::uint64_t end(std::uint64_t k) const { return cyclic ? blocks : blocks * (k + 1) / n; }
  /// From one block of a share to the next.
  std::uint64_t step() const { return cyclic ? n : 1; }
  /// The owner of the block's share: the inverse.
  std::uint64_t owner(std::uint64_t block) const { return cyclic ? block % n : ((block + 1) * n - 1) / blocks; }
};

}  // namespace sunstar::io
