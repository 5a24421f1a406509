// SPDX-License-Identifier: MIT
#pragma once
#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "models/core/content/content_map.h"
#include "models/node/hal.h"
#include "sw/file_systems/pvfs/protocol/versions.h"
#include "sw/io/client_block.h"
#include "sw/io/replacement/directory.h"

// The buffer manager of the cache module of a node (Vilayannur, Kandemir, Sivasubramaniam, "Kernel-level caching for
// optimizing I/O by exploiting inter-application data sharing", CLUSTER 2002, section 3.2): hash table, free list and
// dirty list (the first two are a BlockDirectory). It knows neither time nor messages. Its owner does the work that
// takes time: it fetches and flushes, runs the harvester and the flusher, sets the water marks of the free list, and
// charges for the returned steps.
namespace sunstar::file_systems::pvfs {

using io::ByteRange;
using io::ByteRanges;

/// A block of the cache. Only the BlockCache changes it, apart from the bytes themselves.
class Block final : public io::ClientBlock {
 public:
  using ClientBlock::ClientBlock;
  const ByteRanges& awaited() const { return awaited_; }
  bool pending() const { return !awaited_.empty(); }
  /// Between BlockCache::start_flush() and sent().
  bool flushing() const { return !sending_.empty(); }
  /// Notes of the owner: the version of the bytes here, and what has gone wrong with fetches for this buffer.
  Versions::Version version = 0;
  std::uint64_t failures = 0;
  hal::Status last_failure = hal::Status::ok;
  Replaceable replaceable() const override { return pending() ? Replaceable::no : ClientBlock::replaceable(); }

 private:
  friend class BlockCache;
  std::uint64_t generation_ = 0;  // grows when bytes on their way must no longer be put here
  ByteRanges awaited_;
  boost::intrusive::list_member_hook<> queue_;  // the dirty list
};

/// A fixed number of blocks, each the buffer of a block of a file. A block may be partly valid: a write need not fetch
/// the rest, and a later read fetches only what is missing.
///
/// A read of some bytes of a block goes like this:
///
///   Block* b = cache.find(key);                          touch() it, or allocate() one if there is none
///   b->pin();
///   while (!b->valid().covers(bytes)) {
///     const ByteRanges missing = cache.missing(*b, bytes);
///     const Fetch f = cache.expect(*b, missing);          if there are any; then ask the server for them
///     ...                                                 wait until the block changes: arrived(), invalidate()
///   }
///   ...                                                   copy from b->data()
///   b->unpin();
///
/// A write finds or allocates the block, copies into b->data() and calls mark_dirty().
///
/// It is the caller's mistake, and asserted, to pass a block that is free or a range that reaches beyond the block.
class BlockCache {
 public:
  /// `blocks` blocks of `block_bytes`, at least one, which lie one after the other from `base` in `memory` on. All are
  /// free.
  BlockCache(content::Memory& memory, std::byte* base, std::uint32_t blocks, std::uint32_t block_bytes,
             std::string_view replacement)
      : memory_(memory),
        base_(base),
        most_(blocks),
        block_bytes_(block_bytes),
        directory_(replacement, blocks, blocks) {
    assert(blocks > 0 && block_bytes > 0);
  }

  std::uint32_t blocks() const { return most_; }
  std::uint32_t free_blocks() const { return static_cast<std::uint32_t>(most_ - blocks_.size() + directory_.free()); }
  /// Length of the dirty list: blocks with dirty bytes still to send. Blocks that are only flushing() do not count.
  std::uint32_t dirty_blocks() const { return static_cast<std::uint32_t>(dirty_.size()); }

  /// The block with that key, in any state; null if there is none.
  Block* find(const BlockKey& key) { return directory_.find(key).entry; }

  /// Takes a block from the free list for a key that is not in the cache; null if the list is empty. Nothing of the
  /// block is valid, and it is not pinned.
  Block* allocate(const BlockKey& key) {
    assert(!find(key));
    if (free_blocks() == 0) return nullptr;
    const bool is_new = blocks_.size() < most_;
    Block& b = is_new ? blocks_.emplace_back(base_ + blocks_.size() * block_bytes_) : *directory_.candidate(key);
    directory_.assign(b, key);
    return &b;
  }

  void touch(Block& block) { directory_.touch(block); }

  /// A fetch of bytes for a block, which may be freed or invalidated meanwhile.
  struct Fetch {
    Block* block = nullptr;
    std::uint64_t generation = 0;
  };

  /// The bytes of `range` that are neither valid nor on their way.
  ByteRanges missing(const Block& block, ByteRange range) const {
    assert(in_block(range));
    ByteRanges bytes(range);
    bytes.remove(block.valid_);
    bytes.remove(block.awaited_);
    return bytes;
  }

  /// The bytes have been asked for. The block is pending until they have all arrived().
  Fetch expect(Block& block, const ByteRanges& bytes) {
    assert(block.holds_block());
    block.awaited_.add(bytes);
    return {&block, block.generation_};
  }

  /// Bytes have come from the server: `data` from `first` on belongs to the block from `offset` on. Valid bytes stay as
  /// they are, because they are newer. Returns the bytes put into the block: none if the block has been invalidated
  /// since they were asked for.
  std::uint32_t arrived(const Fetch& fetch, std::uint32_t offset, const content::Content& data, std::uint32_t first,
                        std::uint32_t bytes) {
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

  /// The bytes of `range` have been asked for and will not come: they are missing again, unless the block has been
  /// invalidated since. Returns whether it has not.
  bool failed(const Fetch& fetch, ByteRange range) {
    Block& block = *fetch.block;
    if (fetch.generation != block.generation_) return false;
    assert(in_block(range));
    block.awaited_.remove(range);
    return true;
  }

  /// The bytes of `range` have been written into the buffer, and must go to the server. The block joins the dirty list
  /// unless it is there.
  void mark_dirty(Block& block, ByteRange range) {
    assert(block.holds_block() && in_block(range));
    if (range.bytes() == 0) return;
    if (block.dirty_.empty()) dirty_.push_back(block);
    block.dirty_.add(range);
    block.valid_.add(range);
  }

  struct Batch {
    std::vector<Block*> blocks;  ///< of one file, one after the other
    std::uint32_t steps = 0;     ///< blocks looked at
  };

  /// The block that has been dirty for longest, and the dirty blocks that follow and precede it in its file without a
  /// gap: at most `most`, which is at least 1, the following ones first. None of them is flushing(). The batch does not
  /// cross a multiple of `boundary` blocks of the file. Empty if no block can be flushed.
  Batch oldest_dirty(std::uint32_t most, std::uint64_t boundary = std::numeric_limits<std::uint64_t>::max()) {
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

  /// The dirty bytes of the block are being sent: it leaves the dirty list and is flushing() until it is sent().
  /// Returns these bytes. The block must have dirty bytes and must not be flushing().
  const ByteRanges& start_flush(Block& block) {
    dirty_.erase(dirty_.iterator_to(block));
    return block.send(block.dirty());
  }

  /// Another node has written the block: the copy here is out of date. Only bytes that were written here and have yet
  /// to reach the server stay valid; bytes on their way will be ignored when they come, and must be fetched again. If
  /// no byte stays and the block is not pinned, it is freed. Returns whether the block was there.
  bool invalidate(const BlockKey& key) {
    Block* const block = find(key);
    if (!block) return false;
    ++block->generation_;
    block->awaited_.clear();
    block->valid_ = block->unsent();
    if (block->valid_.empty() && block->pins() == 0) directory_.drop(*block);
    return true;
  }

  struct Harvest {
    enum class Outcome : std::uint8_t {
      freed,  ///< one block more is free: the one with `key`
      dirty,  ///< nothing can be freed but dirty blocks: flush the one with `key` first
      none    ///< all blocks are free, pinned, pending or flushing
    };
    Outcome outcome = Outcome::none;
    BlockKey key;             ///< of the block chosen
    std::uint32_t steps = 0;  ///< the policy's: blocks looked at
  };

  /// Frees the block that the policy chooses if it is clean.
  Harvest harvest() {
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

  /// Calls visit(const Block&) for each block that is not free, in the order of the buffers.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Block& b : blocks_)
      if (b.holds_block()) visit(b);
  }

 private:
  using Queue = boost::intrusive::list<
      Block, boost::intrusive::member_hook<Block, boost::intrusive::list_member_hook<>, &Block::queue_>>;
  bool in_block(ByteRange range) const { return range.from <= range.to && range.to <= block_bytes_; }

  content::Memory& memory_;
  std::byte* const base_;
  const std::uint32_t most_, block_bytes_;
  std::deque<Block> blocks_;  // only blocks that have been used: the host keeps no others
  io::BlockDirectory<Block> directory_;
  Queue dirty_;  // the block that became dirty first comes first
};

}  // namespace sunstar::file_systems::pvfs
