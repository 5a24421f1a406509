// SPDX-License-Identifier: MIT
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

/// The bits of one bitmap block: bit b is bit b mod 8, from the least significant, of byte b / 8. 1 = used.
namespace sunstar::file_systems::galley::bitmap {

inline bool test(std::span<const std::byte> block, std::uint32_t bit) {
  return (block[bit / 8] >> (bit % 8) & std::byte{1}) != std::byte{0};
}
inline void set(std::span<std::byte> block, std::uint32_t bit) { block[bit / 8] |= std::byte{1} << (bit % 8); }
inline void clear(std::span<std::byte> block, std::uint32_t bit) { block[bit / 8] &= ~(std::byte{1} << (bit % 8)); }

/// The number of used bits.
inline std::uint32_t count(std::span<const std::byte> block) {
  std::uint32_t used = 0;
  for (const std::byte b : block) used += static_cast<std::uint32_t>(std::popcount(std::to_integer<unsigned char>(b)));
  return used;
}

/// The first free bit in [from, end); `end` if all are used.
inline std::uint32_t find_free(std::span<const std::byte> block, std::uint32_t from, std::uint32_t end) {
  while (from < end && test(block, from)) {
    const bool whole_byte = from % 8 == 0 && block[from / 8] == std::byte{0xff};
    from += whole_byte ? 8 : 1;
  }
  return from < end ? from : end;
}

}  // namespace sunstar::file_systems::galley::bitmap
