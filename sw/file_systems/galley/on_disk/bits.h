// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sw/file_systems/galley/on_disk/form.h"

namespace sunstar::file_systems::galley {

/// Whether no bit is set in a bitmap block.
inline bool all_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

/// A bit for each block of a disk, in words: bit b % 64 of word b / 64 is block b. They come in parts, one for each
/// bitmap block, and a part in which no bit was ever set takes no memory: drives are large, and files are small.
class Bits {
 public:
  explicit Bits(const Form& form) : words_of_part_(form.block_bytes / 8), parts_(form.bitmap_blocks()) {}

  std::uint64_t words() const { return parts_.size() * words_of_part_; }
  std::size_t words_of_part() const { return words_of_part_; }
  /// Whether a bit of the part was ever set.
  bool has(std::size_t part) const { return !parts_[part].empty(); }
  std::uint64_t word(std::uint64_t w) const {
    const auto& part = parts_[w / words_of_part_];
    return part.empty() ? 0 : part[w % words_of_part_];
  }
  /// Its words, none if it takes no memory; and the same to change them.
  std::span<const std::uint64_t> part(std::size_t part) const { return parts_[part]; }
  std::span<std::uint64_t> part_to_change(std::size_t part) {
    if (parts_[part].empty()) parts_[part].resize(words_of_part_);
    return parts_[part];
  }
  bool test(std::uint64_t b) const { return word(b / 64) >> (b % 64) & 1; }
  void set(std::uint64_t b) { word_of(b) |= std::uint64_t{1} << (b % 64); }
  void reset(std::uint64_t b) { word_of(b) &= ~(std::uint64_t{1} << (b % 64)); }

 private:
  std::uint64_t& word_of(std::uint64_t b) { return part_to_change(b / 64 / words_of_part_)[b / 64 % words_of_part_]; }

  std::size_t words_of_part_;
  std::vector<std::vector<std::uint64_t>> parts_;
};

}  // namespace sunstar::file_systems::galley
