// SPDX-License-Identifier: MIT
#include "models/disk/medium.h"

#include <cassert>
#include <cstring>
#include <utility>

namespace sunstar::disk {

void Medium::read(std::uint64_t offset, std::uint32_t bytes, content::Content& to) const {
  assert(offset <= capacity_ && bytes <= capacity_ - offset);
  const std::uint64_t size = order_ ? order_->block_bytes : 1, end = offset + bytes;
  while (offset < end) {
    // A run of blocks of one kind.
    const std::uint64_t block = offset / size;
    const unsigned of = block < whole_.size() ? whole_[block] : 0;
    std::uint64_t next = block + 1;
    while (next < whole_.size() && next * size < end && whole_[next] == of) ++next;
    const std::uint64_t after = of == 0 && next >= whole_.size() ? end : std::min(next * size, end);
    const auto n = static_cast<std::uint32_t>(after - offset), within = static_cast<std::uint32_t>(offset % size);
    if (of == 0) map_.read(offset, n, to);
    else to.append(content::part({ordered_[of - 1].scattered, within + n, block * size}, within, n));
    offset = after;
  }
}

bool Medium::remember(std::uint64_t block, const content::Content& found) {
  if (found.size() != order_->block_bytes || found.pieces().size() != 1) return false;
  const content::Piece& piece = found.pieces()[0];
  const std::uint32_t there = order_->block_at[block];
  if (piece.source <= content::Source::literal || there == content::Order::none ||
      piece.place != order_->first + there * order_->stride)
    return false;
  auto known = std::ranges::find(ordered_, piece.source, &Ordered::of);
  if (known == ordered_.end()) {
    if (ordered_.size() == UINT8_MAX) return false;
    known = ordered_.insert(known, {piece.source, content::source(content::Scattered{piece.source, order_})});
  }
  map_.forget(block * order_->block_bytes, order_->block_bytes);
  whole_[block] = static_cast<std::uint8_t>(known - ordered_.begin() + 1);
  return true;
}

void Medium::give_to_map(std::uint64_t block) {
  const std::uint32_t size = order_->block_bytes;
  if (const unsigned of = std::exchange(whole_[block], std::uint8_t{0}))
    map_.put(block * size, {ordered_[of - 1].scattered, size, block * size});
}

void Medium::write(std::uint64_t offset, const content::Content& from) {
  assert(offset <= capacity_ && from.size() <= capacity_ - offset);
  if (!order_) return map_.write(offset, from);
  const std::uint32_t size = order_->block_bytes;
  const std::uint64_t first = offset / size;
  const std::uint64_t end = std::min<std::uint64_t>((offset + from.size() + size - 1) / size, whole_.size());
  if (offset % size == 0 && first < end && remember(first, from)) return;
  for (std::uint64_t block = first; block < end; ++block) give_to_map(block);
  map_.write(offset, from);
  content::Content all;
  for (std::uint64_t block = first; block < end; ++block) {
    all.clear();
    map_.read(block * size, size, all);
    remember(block, all);
  }
}

void Medium::scatter(const std::shared_ptr<const content::Order>& order, content::Source of) {
  order_ = order;
  ordered_.assign(1, {of, content::source(content::Scattered{of, order_})});
  whole_.resize(order->block_at.size());
  std::ranges::transform(order->block_at, whole_.begin(), [](std::uint32_t b) { return b != content::Order::none; });
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

// In parts that are multiples of both chunk sizes, the map's and the bytes'.
void Medium::for_each_written(const Visit& visit) const {
  constexpr std::uint64_t part = content::ContentMap::chunk_bytes;
  std::vector<std::uint64_t> parts = map_.chunks();
  for (const auto& [number, bytes] : chunks_) parts.push_back(number * chunk_size / part);
  for (std::uint64_t n = 0; order_ && n * part < whole_.size() * order_->block_bytes; ++n) parts.push_back(n);
  std::ranges::sort(parts);
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  content::Content content;
  for (const std::uint64_t n : parts) {
    content.clear();
    read(n * part, static_cast<std::uint32_t>(std::min(part, capacity_ - n * part)), content);
    visit(n * part, content);
  }
}

}  // namespace sunstar::disk
