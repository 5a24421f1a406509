// SPDX-License-Identifier: MIT
#include "sw/file_systems/galley/on_disk/allocator.h"

#include <bit>
#include <cassert>

#include "sw/file_systems/galley/on_disk/encoding.h"

namespace sunstar::file_systems::galley {

Allocator::Allocator(const Form& form)
    : form_(form), words_(form.bitmap_blocks() * form.block_bytes / 8, ~std::uint64_t{0}) {
  const auto release = [&](std::uint64_t b) { words_[b / 64] &= ~(std::uint64_t{1} << (b % 64)); };
  std::uint64_t b = form.first_data_block();
  for (; b < form.blocks && b % 64 != 0; ++b) release(b);
  for (; b + 64 <= form.blocks; b += 64) words_[b / 64] = 0;
  for (; b < form.blocks; ++b) release(b);
  free_ = form.blocks - form.first_data_block();
}

void Allocator::load(BlockNumber bitmap_block, std::span<const std::byte> bytes) {
  const std::size_t words = form_.block_bytes / 8, first = (bitmap_block - form_.first_bitmap_block()) * words;
  for (std::size_t w = 0; w < words; ++w) {
    std::uint64_t& word = words_[first + w];
    free_ -= static_cast<std::uint64_t>(std::popcount(~word));
    word = read_number<std::uint64_t>(bytes, 8 * w);
    free_ += static_cast<std::uint64_t>(std::popcount(~word));
  }
}

void Allocator::store(BlockNumber bitmap_block, std::span<std::byte> bytes) const {
  const std::size_t words = form_.block_bytes / 8, first = (bitmap_block - form_.first_bitmap_block()) * words;
  for (std::size_t w = 0; w < words; ++w) write_number(bytes, 8 * w, words_[first + w]);
}

bool Allocator::is_used(BlockNumber block) const { return words_[block / 64] >> (block % 64) & 1; }

void Allocator::take(BlockNumber block) {
  assert(block < form_.blocks && !is_used(block));
  words_[block / 64] |= std::uint64_t{1} << (block % 64);
  --free_;
}

void Allocator::release(BlockNumber block) {
  assert(form_.may_hold_data(block) && is_used(block));
  words_[block / 64] &= ~(std::uint64_t{1} << (block % 64));
  ++free_;
}

/// The first used or the first free block at or after `from`; none behind the last word.
std::optional<BlockNumber> Allocator::find(std::uint64_t from, bool used) const {
  for (std::uint64_t w = from / 64; w < words_.size(); ++w) {
    std::uint64_t word = used ? words_[w] : ~words_[w];
    if (w == from / 64) word &= ~std::uint64_t{0} << (from % 64);
    if (word != 0) return static_cast<BlockNumber>(64 * w + static_cast<std::uint64_t>(std::countr_zero(word)));
  }
  return std::nullopt;
}

std::optional<BlockNumber> Allocator::find_run(std::uint64_t count, std::uint64_t from) const {
  for (auto first = find(from, false); first; first = find(from, false)) {
    from = find(*first, true).value_or(form_.blocks);
    if (from - *first >= count) return first;
  }
  return std::nullopt;
}

std::optional<BlockNumber> Allocator::allocate(BlockNumber near) {
  auto block = find(near, false);
  if (!block) block = find(0, false);
  if (block) take(*block);
  return block;
}

std::vector<BlockNumber> Allocator::allocate_run(std::uint64_t count, BlockNumber near) {
  std::vector<BlockNumber> blocks;
  if (count == 0 || count > free_) return blocks;
  blocks.reserve(count);
  auto run = find_run(count, near);
  if (!run) run = find_run(count, 0);
  if (run) near = *run;
  for (std::uint64_t i = 0; i < count; ++i) {
    blocks.push_back(*allocate(near));
    near = blocks.back();
  }
  return blocks;
}

}  // namespace sunstar::file_systems::galley
