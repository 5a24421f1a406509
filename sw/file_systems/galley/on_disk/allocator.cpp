// SPDX-License-Identifier: MIT
#include "sw/file_systems/galley/on_disk/allocator.h"

#include <bit>

namespace sunstar::file_systems::galley {

Allocator::Allocator(const Form& form) : form_(form), used_(form), free_(form.blocks - form.first_data_block()) {
  for (std::uint64_t b = 0; b < form.first_data_block(); ++b) used_.set(b);
  for (std::uint64_t b = form.blocks; b < 64 * used_.words(); ++b) used_.set(b);
}

void Allocator::load(BlockNumber bitmap_block, std::span<const std::byte> bytes) {
  if (!any_used(bitmap_block) && all_zero(bytes)) return;
  const auto words = used_.part_to_change(bitmap_block - form_.first_bitmap_block());
  for (std::size_t w = 0; w < words.size(); ++w) {
    free_ -= static_cast<std::uint64_t>(std::popcount(~words[w]));
    words[w] = read_number<std::uint64_t>(bytes, 8 * w);
    free_ += static_cast<std::uint64_t>(std::popcount(~words[w]));
  }
}

void Allocator::store(BlockNumber bitmap_block, std::span<std::byte> bytes) const {
  const auto words = used_.part(bitmap_block - form_.first_bitmap_block());
  if (words.empty()) std::ranges::fill(bytes, std::byte{0});
  for (std::size_t w = 0; w < words.size(); ++w) write_number(bytes, 8 * w, words[w]);
}

void Allocator::take(BlockNumber block) {
  assert(block < form_.blocks && !is_used(block));
  used_.set(block);
  --free_;
}

void Allocator::release(BlockNumber block) {
  assert(form_.may_hold_data(block) && is_used(block));
  used_.reset(block);
  ++free_;
}

/// The first used or the first free block at or after `from`; none behind the last word.
std::optional<BlockNumber> Allocator::find(std::uint64_t from, bool used) const {
  for (std::uint64_t w = from / 64; w < used_.words(); ++w) {
    if (const std::uint64_t part = w / used_.words_of_part(); used && !used_.has(part)) {
      w = (part + 1) * used_.words_of_part() - 1;
      continue;
    }
    std::uint64_t word = used ? used_.word(w) : ~used_.word(w);
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
