// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <bit>

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

/// The bitmap of a whole disk in memory, and the policy that chooses blocks by it. A caller that takes or releases a
/// block writes its bitmap block back: form().bitmap_block_of(block) says which it is, store() makes its bytes. A call
/// looks at each word of the bitmap a few times at most.
class Allocator {
 public:
  /// An empty file system: only its own blocks are used, and the bits behind the end of the disk, so that no search
  /// needs to know the end.
  explicit Allocator(const Form& form) : form_(form), used_(form), free_(form.blocks - form.first_data_block()) {
    for (std::uint64_t b = 0; b < form.first_data_block(); ++b) used_.set(b);
    for (std::uint64_t b = form.blocks; b < 64 * used_.words(); ++b) used_.set(b);
  }

  /// Takes over the bits of a bitmap block, given by its number on the disk, from its bytes. The
  /// bits behind the end of the disk must be used.
  void load(BlockNumber bitmap_block, std::span<const std::byte> bytes) {
    if (!any_used(bitmap_block) && all_zero(bytes)) return;
    const auto words = used_.part_to_change(bitmap_block - form_.first_bitmap_block());
    for (std::size_t w = 0; w < words.size(); ++w) {
      free_ -= static_cast<std::uint64_t>(std::popcount(~words[w]));
      words[w] = read_number<std::uint64_t>(bytes, 8 * w);
      free_ += static_cast<std::uint64_t>(std::popcount(~words[w]));
    }
  }

  void store(BlockNumber bitmap_block, std::span<std::byte> bytes) const {
    const auto words = used_.part(bitmap_block - form_.first_bitmap_block());
    if (words.empty()) std::ranges::fill(bytes, std::byte{0});
    for (std::size_t w = 0; w < words.size(); ++w) write_number(bytes, 8 * w, words[w]);
  }

  const Form& form() const { return form_; }
  std::uint64_t free_blocks() const { return free_; }
  bool is_used(BlockNumber block) const { return used_.test(block); }
  /// Whether any of the blocks of a bitmap block was ever used.
  bool any_used(BlockNumber bitmap_block) const { return used_.has(bitmap_block - form_.first_bitmap_block()); }

  /// Takes the first free block at or after `near`; if there is none, the first free one of the disk. None if the disk
  /// is full.
  std::optional<BlockNumber> allocate(BlockNumber near) {
    auto block = find(near, false);
    if (!block) block = find(0, false);
    if (block) take(*block);
    return block;
  }

  /// Takes `count` blocks: the first contiguous run at or after `near`, else the first one of the disk, else the free
  /// blocks as allocate() would give them, one after another. Gives nothing, and takes nothing, if fewer are free.
  std::vector<BlockNumber> allocate_run(std::uint64_t count, BlockNumber near) {
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

  void take(BlockNumber block) {
    assert(block < form_.blocks && !is_used(block));
    used_.set(block);
    --free_;
  }

  /// Gives back a used block, which must not be the file system's own.
  void release(BlockNumber block) {
    assert(form_.may_hold_data(block) && is_used(block));
    used_.reset(block);
    ++free_;
  }

 private:
  /// The first used or the first free block at or after `from`; none behind the last word.
  std::optional<BlockNumber> find(std::uint64_t from, bool used) const {
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

  std::optional<BlockNumber> find_run(std::uint64_t count, std::uint64_t from) const {
    for (auto first = find(from, false); first; first = find(from, false)) {
      from = find(*first, true).value_or(form_.blocks);
      if (from - *first >= count) return first;
    }
    return std::nullopt;
  }

  Form form_;
  Bits used_;  // whole bitmap blocks
  std::uint64_t free_ = 0;
};

}  // namespace sunstar::file_systems::galley
