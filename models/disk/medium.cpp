// SPDX-License-Identifier: MIT
#include "models/disk/medium.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <vector>

namespace sunstar::disk {

void Medium::read(std::uint64_t offset, std::uint32_t bytes, content::Content& to) const {
  assert(offset <= capacity_ && bytes <= capacity_ - offset);
  map_.read(offset, bytes, to);
}

void Medium::write(std::uint64_t offset, const content::Content& from) {
  assert(offset <= capacity_ && from.size() <= capacity_ - offset);
  if (order_ && from.pieces().size() == 1 && from.pieces()[0].source > content::Source::literal) {
    const content::Piece& piece = from.pieces()[0];
    const content::Piece ordered{content::source(content::Scattered{piece.source, order_}), piece.bytes, offset};
    if (offset + piece.bytes <= order_->block_at.size() * order_->block_bytes &&
        content::part(ordered, 0, piece.bytes) == piece)
      return map_.put(offset, ordered);
  }
  map_.write(offset, from);
}

void Medium::scatter(const std::shared_ptr<const content::Order>& order, content::Source of) {
  order_ = order;
  const content::Source all = content::source(content::Scattered{of, order_});
  content::for_each_part(order_->block_at.size() * order_->block_bytes, [&](std::uint64_t from, std::uint32_t bytes) {
    map_.put(from, {all, bytes, from});
  });
}

void Medium::read(std::uint64_t offset, std::span<std::byte> to) const {
  content::Content found;
  read(offset, static_cast<std::uint32_t>(to.size()), found);
  found.make_bytes(to.data());
}

void Medium::read_bytes(std::uint64_t at, std::uint32_t bytes, content::Content& to) const {
  while (bytes > 0) {
    const auto within = static_cast<std::uint32_t>(at % chunk_size);
    const std::uint32_t n = std::min<std::uint32_t>(bytes, chunk_size - within);
    const auto chunk = chunks_.find(at / chunk_size);
    if (chunk == chunks_.end()) to.append(content::Piece{content::Source::zero, n, 0});
    else to.append(std::span<const std::byte>(chunk->second.get() + within, n));
    bytes -= n;
    at += n;
  }
}

void Medium::write_bytes(std::uint64_t at, std::span<const std::byte> from) {
  while (!from.empty()) {
    const std::uint64_t within = at % chunk_size;
    const std::size_t n = std::min<std::uint64_t>(from.size(), chunk_size - within);
    auto& chunk = chunks_[at / chunk_size];
    if (!chunk)
      chunk = n == chunk_size ? std::make_unique_for_overwrite<std::byte[]>(chunk_size)
                              : std::make_unique<std::byte[]>(chunk_size);
    std::memcpy(chunk.get() + within, from.data(), n);
    from = from.subspan(n);
    at += n;
  }
}

// In parts that are multiples of a chunk of the map and of one of bytes.
void Medium::for_each_written(const Visit& visit) const {
  constexpr std::uint64_t part = content::ContentMap::chunk_bytes;
  std::vector<std::uint64_t> parts = map_.chunks();
  for (const auto& [number, bytes] : chunks_) parts.push_back(number * chunk_size / part);
  std::ranges::sort(parts);
  parts.erase(std::ranges::unique(parts).begin(), parts.end());
  content::Content content;
  for (const std::uint64_t n : parts) {
    content.clear();
    map_.read(n * part, static_cast<std::uint32_t>(std::min(part, capacity_ - n * part)), content);
    visit(n * part, content);
  }
}

}  // namespace sunstar::disk
