// SPDX-License-Identifier: MIT
#include "models/disk/medium.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <vector>

namespace sunstar::disk {

void Medium::read(std::uint64_t offset, std::span<std::byte> to) const {
  assert(offset <= capacity_ && to.size() <= capacity_ - offset);
  while (!to.empty()) {
    const std::uint64_t within = offset % chunk_size;
    const std::size_t n = std::min<std::uint64_t>(to.size(), chunk_size - within);
    const auto chunk = chunks_.find(offset / chunk_size);
    if (chunk == chunks_.end()) std::memset(to.data(), 0, n);
    else std::memcpy(to.data(), chunk->second.get() + within, n);
    to = to.subspan(n);
    offset += n;
  }
}

void Medium::write(std::uint64_t offset, std::span<const std::byte> from) {
  assert(offset <= capacity_ && from.size() <= capacity_ - offset);
  while (!from.empty()) {
    const std::uint64_t within = offset % chunk_size;
    const std::size_t n = std::min<std::uint64_t>(from.size(), chunk_size - within);
    auto& chunk = chunks_[offset / chunk_size];
    if (!chunk)
      chunk = n == chunk_size ? std::make_unique_for_overwrite<std::byte[]>(chunk_size)
                              : std::make_unique<std::byte[]>(chunk_size);
    std::memcpy(chunk.get() + within, from.data(), n);
    from = from.subspan(n);
    offset += n;
  }
}

void Medium::for_each_chunk(const std::function<void(std::uint64_t, std::span<const std::byte>)>& visit) const {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(chunks_.size());
  for (const auto& [number, bytes] : chunks_) numbers.push_back(number);
  std::ranges::sort(numbers);
  for (const std::uint64_t n : numbers) {
    const std::uint64_t offset = n * chunk_size;
    visit(offset, {chunks_.at(n).get(), std::min(chunk_size, capacity_ - offset)});
  }
}

}  // namespace sunstar::disk
