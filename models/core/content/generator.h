// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "models/core/random.h"

// The bytes of a file are a function of the file, the version and the offset, so that any part of a run can be checked
// without keeping a copy. Version 0 is on the disk before the run, version 1 is what the run writes.
//
// A file is a sequence of 64-bit words in the host's byte order. Word i is x ^ (x >> 32) with x = (key + i) * g, where
// key is a hash of file and version and g is odd. So all words of a file differ, and the next x costs one addition.
namespace sunstar::content {

inline constexpr std::uint64_t step = 0x9e3779b97f4a7c15ull;

/// Position of a word in the sequence of (file, version); the next word's position is larger by `step`.
constexpr std::uint64_t position(std::uint32_t file, std::uint32_t version, std::uint64_t word_index) {
  return (mix64(static_cast<std::uint64_t>(file) << 32 | version) + word_index) * step;
}
constexpr std::uint64_t word(std::uint64_t position) { return position ^ position >> 32; }

namespace detail {

// Calls part(destination, first byte within a word, bytes, position) for the ragged ends and words(destination, count,
// position) for the whole words between; stops when either returns false.
template <class Byte, class Part, class Words>
inline void walk(std::uint32_t file, std::uint32_t version, std::uint64_t offset, Byte* data, std::size_t bytes,
                 Part part, Words words) {
  if (bytes == 0) return;  // memcpy must not be given a null pointer, even for 0 bytes
  std::uint64_t at = position(file, version, offset / 8);
  if (const std::size_t skip = offset % 8; skip != 0) {
    const std::size_t head = std::min<std::size_t>(8 - skip, bytes);
    if (!part(data, skip, head, at)) return;
    data += head;
    bytes -= head;
    at += step;
  }
  const std::size_t count = bytes / 8;
  if (!words(data, count, at)) return;
  if (const std::size_t tail = bytes % 8; tail != 0) part(data + count * 8, 0, tail, at + count * step);
}

}  // namespace detail

/// Writes the content of [offset, offset + data.size()).
inline void fill(std::uint32_t file, std::uint32_t version, std::uint64_t offset, std::span<std::byte> data) {
  detail::walk(
      file, version, offset, data.data(), data.size(),
      [](std::byte* to, std::size_t skip, std::size_t bytes, std::uint64_t at) {
        const std::uint64_t w = word(at);
        std::memcpy(to, reinterpret_cast<const std::byte*>(&w) + skip, bytes);
        return true;
      },
      [](std::byte* to, std::size_t count, std::uint64_t at) {
        for (std::size_t i = 0; i < count; ++i, at += step) {
          const std::uint64_t w = word(at);
          std::memcpy(to + i * 8, &w, 8);
        }
        return true;
      });
}

/// Compares `data` with the content of [offset, offset + data.size()): returns the offset in the file of the first
/// wrong byte; nothing if all are right.
inline std::optional<std::uint64_t> first_mismatch(std::uint32_t file, std::uint32_t version, std::uint64_t offset,
                                                   std::span<const std::byte> data) {
  std::optional<std::uint64_t> wrong;
  const auto compare = [&](const std::byte* is, std::size_t skip, std::size_t bytes, std::uint64_t at) {
    const std::uint64_t w = word(at);
    const auto* expected = reinterpret_cast<const std::byte*>(&w) + skip;
    for (std::size_t i = 0; i < bytes; ++i)
      if (is[i] != expected[i]) {
        wrong = offset + static_cast<std::uint64_t>(is - data.data()) + i;
        return false;
      }
    return true;
  };
  detail::walk(file, version, offset, data.data(), data.size(), compare,
               [&](const std::byte* is, std::size_t count, std::uint64_t at) {
                 for (std::size_t i = 0; i < count; ++i, at += step) {
                   std::uint64_t w;
                   std::memcpy(&w, is + i * 8, 8);
                   if (w != word(at)) return compare(is + i * 8, 0, 8, at);
                 }
                 return true;
               });
  return wrong;
}

/// The same for memory kept as unsigned char, as TLM payloads point to it.
inline void fill(std::uint32_t file, std::uint32_t version, std::uint64_t offset, std::span<unsigned char> data) {
  fill(file, version, offset, std::as_writable_bytes(data));
}
inline std::optional<std::uint64_t> first_mismatch(std::uint32_t file, std::uint32_t version, std::uint64_t offset,
                                                   std::span<const unsigned char> data) {
  return first_mismatch(file, version, offset, std::as_bytes(data));
}

}  // namespace sunstar::content
