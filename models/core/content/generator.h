// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "models/core/random.h"

// The bytes of a file are a function of the file, the version and the offset, so that any part of a run can be checked
// without keeping a copy. Version 0 is on the disk before the run, version 1 is written by the run.
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

/// Writes the content of [offset, offset + data.size()).
inline void fill(std::uint32_t file, std::uint32_t version, std::uint64_t offset, std::span<std::byte> data) {
  if (data.empty()) return;  // memcpy must not be given a null pointer, even for 0 bytes
  std::uint64_t at = position(file, version, offset / 8);
  if (const std::size_t skip = offset % 8; skip != 0) {
    const std::size_t head = std::min<std::size_t>(8 - skip, data.size());
    const std::uint64_t w = word(at);
    std::memcpy(data.data(), reinterpret_cast<const std::byte*>(&w) + skip, head);
    data = data.subspan(head);
    at += step;
  }
  const std::size_t count = data.size() / 8;
  for (std::size_t i = 0; i < count; ++i, at += step) {
    const std::uint64_t w = word(at);
    std::memcpy(data.data() + i * 8, &w, 8);
  }
  const std::uint64_t w = word(at);
  if (const std::size_t tail = data.size() % 8; tail != 0) std::memcpy(data.data() + count * 8, &w, tail);
}

/// Whether `data` is the content of [offset, offset + data.size()).
inline bool matches(std::uint32_t file, std::uint32_t version, std::uint64_t offset, std::span<const std::byte> data) {
  std::vector<std::byte> wanted(data.size());
  fill(file, version, offset, wanted);
  return std::ranges::equal(data, wanted);
}

}  // namespace sunstar::content
