// SPDX-License-Identifier: MIT
#include "sw/file_systems/pvfs/module/block_cache.h"

namespace sunstar::file_systems::pvfs {

BlockCache::BlockCache(content::Memory& memory, std::byte* base, std::uint32_t blocks, std::uint32_t block_bytes,
                       std::string_view replacement)
    : memory_(memory), base_(base), most_(blocks), block_bytes_(block_bytes), directory_(replacement, blocks, blocks) {
  assert(blocks > 0 && block_bytes > 0);
}

Block* BlockCache::allocate(const BlockKey& key) {
  assert(!find(key));
  if (free_blocks() == 0) return nullptr;
  const bool is_new = blocks_.size() < most_;
  Block& b = is_new ? blocks_.emplace_back(base_ + blocks_.size() * block_bytes_) : *directory_.candidate(key);
  directory_.assign(b, key);
  return &b;
}

ByteRanges BlockCache::missing(const Block& block, ByteRange range) const {
  assert(in_block(range));
  ByteRanges bytes(range);
  bytes.remove(block.valid_);
  bytes.remove(block.awaited_);
  return bytes;
}

BlockCache::Fetch BlockCache::expect(Block& block, const ByteRanges& bytes) {
  assert(block.holds_block());
  block.awaited_.add(bytes);
  return {&block, block.generation_};
}

std::uint32_t BlockCache::arrived(const Fetch& fetch, std::uint32_t offset, const content::Content& data,
                                  std::uint32_t first, std::uint32_t bytes) {
  Block& block = *fetch.block;
  if (fetch.generation != block.generation_) return 0;
  const ByteRange range{offset, offset + bytes};
  assert(in_block(range));
  ByteRanges fresh(range);
  fresh.remove(block.valid_);
  for (const ByteRange r : fresh) memory_.write(block.data() + r.from, data, first + r.from - offset, r.bytes());
  block.valid_.add(range);
  block.awaited_.remove(range);
  return fresh.bytes();
}

bool BlockCache::failed(const Fetch& fetch, ByteRange range) {
  Block& block = *fetch.block;
  if (fetch.generation != block.generation_) return false;
  assert(in_block(range));
  block.awaited_.remove(range);
  return true;
}

void BlockCache::mark_dirty(Block& block, ByteRange range) {
  assert(block.holds_block() && in_block(range));
  if (range.bytes() == 0) return;
  if (block.dirty_.empty()) dirty_.push_back(block);
  block.dirty_.add(range);
  block.valid_.add(range);
}

BlockCache::Batch BlockCache::oldest_dirty(std::uint32_t most, std::uint64_t boundary) {
  assert(most > 0 && boundary > 0);
  Batch batch;
  const auto fit = [](const Block* b) { return b && !b->dirty_.empty() && !b->flushing(); };
  for (Block& oldest : dirty_) {
    ++batch.steps;
    if (!fit(&oldest)) continue;
    const BlockKey key = oldest.key();
    const auto add_next = [&](std::uint64_t number) {
      const auto next = directory_.find({key.file, number});
      batch.steps += next.steps;
      if (fit(next.entry)) batch.blocks.push_back(next.entry);
      return fit(next.entry);
    };
    batch.blocks.push_back(&oldest);
    for (std::uint64_t n = key.number + 1; batch.blocks.size() < most && n % boundary != 0 && add_next(n);) ++n;
    const auto following = batch.blocks.size();
    for (std::uint64_t n = key.number; batch.blocks.size() < most && n % boundary != 0 && add_next(n - 1);) --n;
    // The preceding blocks were found in falling order.
    std::reverse(batch.blocks.begin() + static_cast<std::ptrdiff_t>(following), batch.blocks.end());
    std::rotate(batch.blocks.begin(), batch.blocks.begin() + static_cast<std::ptrdiff_t>(following),
                batch.blocks.end());
    break;
  }
  return batch;
}

const ByteRanges& BlockCache::start_flush(Block& block) {
  dirty_.erase(dirty_.iterator_to(block));
  return block.send(block.dirty());
}

bool BlockCache::invalidate(const BlockKey& key) {
  Block* const block = find(key);
  if (!block) return false;
  ++block->generation_;
  block->awaited_.clear();
  block->valid_ = block->unsent();
  if (block->valid_.empty() && block->pins() == 0) directory_.drop(*block);
  return true;
}

BlockCache::Harvest BlockCache::harvest() {
  const auto choice = directory_.choose(nullptr);
  Harvest result;
  result.steps = choice.steps;
  if (!choice.entry) return result;
  result.key = choice.entry->key();
  if (!choice.entry->dirty_.empty()) {  // the policy does not choose blocks being flushed
    result.outcome = Harvest::Outcome::dirty;
  } else {
    result.outcome = Harvest::Outcome::freed;
    choice.entry->valid_.clear();
    directory_.release(*choice.entry);
  }
  return result;
}

}  // namespace sunstar::file_systems::pvfs
