// SPDX-License-Identifier: MIT
#pragma once
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

// How numbers and checksums lie in the bytes of a block, on every host alike.
namespace sunstar::file_systems::galley {

/// The number whose bytes begin at `at`, the least significant one first.
template <std::unsigned_integral T>
T read_number(std::span<const std::byte> bytes, std::size_t at) {
  assert(at + sizeof(T) <= bytes.size());
  std::uint64_t value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
  return static_cast<T>(value);
}

template <std::unsigned_integral T>
void write_number(std::span<std::byte> bytes, std::size_t at, T value) {
  assert(at + sizeof(T) <= bytes.size());
  for (std::size_t i = 0; i < sizeof(T); ++i)
    bytes[at + i] = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i));
}

/// The hash FNV-1a (Fowler, Noll, Vo) of `bytes`, with 32 bits, going on from `start`. It notices every change of a
/// single byte.
inline std::uint32_t fnv1a(std::span<const std::byte> bytes, std::uint32_t start = 0x811c9dc5u) {
  for (const std::byte b : bytes) start = (start ^ std::to_integer<std::uint32_t>(b)) * 0x01000193u;
  return start;
}

/// The checksum of `bytes` without the four at `at`, where it lies itself.
inline std::uint32_t checksum_around(std::span<const std::byte> bytes, std::size_t at) {
  return fnv1a(bytes.subspan(at + 4), fnv1a(bytes.first(at)));
}

}  // namespace sunstar::file_systems::galley
