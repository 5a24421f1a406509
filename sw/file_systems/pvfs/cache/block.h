// SPDX-License-Identifier: MIT
#pragma once
#include <boost/intrusive/list_hook.hpp>
#include <cstddef>
#include <cstdint>

#include "models/core/random.h"
#include "sw/file_systems/pvfs/cache/byte_ranges.h"

namespace sunstar::file_systems::pvfs {

/// A block of a file: its bytes [number * block_bytes, (number + 1) * block_bytes).
struct BlockKey {
  std::uint32_t file = 0;
  std::uint64_t number = 0;
  bool operator==(const BlockKey&) const = default;
  friend std::size_t hash_value(const BlockKey& k) { return mix64(std::uint64_t{k.file} << 40 ^ k.number); }
};

enum class BlockState : std::uint8_t {
  free,     ///< holds no block of a file
  pending,  ///< some of its bytes are on their way from the server, and none has to go there
  clean,    ///< nothing is on its way; not all bytes need be valid
  dirty     ///< the server does not have all of its bytes yet; others may still be on their way from there
};

/// A buffer of the cache. Only the BlockCache changes it, apart from the bytes themselves.
class Block {
 public:
  const BlockKey& key() const { return key_; }
  /// The buffer: block_bytes bytes, of which only the valid() ones mean something.
  std::byte* data() const { return data_; }

  BlockState state() const {
    if (!used_) return BlockState::free;
    if (!dirty_.empty() || flushing()) return BlockState::dirty;
    return pending() ? BlockState::pending : BlockState::clean;
  }
  /// Bytes of the file that the buffer holds: fetched from the server, or written here.
  const ByteRanges& valid() const { return valid_; }
  /// Bytes that are on their way from the server.
  const ByteRanges& awaited() const { return awaited_; }
  /// Bytes written here that nobody has begun to send to the server.
  const ByteRanges& dirty() const { return dirty_; }
  bool pending() const { return !awaited_.empty(); }
  /// Between BlockCache::start_flush() and mark_clean().
  bool flushing() const { return !flushing_.empty(); }
  std::uint32_t pins() const { return pins_; }
  /// Whether a policy may choose it. It may be dirty.
  bool replaceable() const { return pins_ == 0 && !pending() && !flushing(); }

  // For the replacement policy alone.
  boost::intrusive::list_member_hook<> order;
  std::uint8_t note = 0;

 private:
  friend class BlockCache;
  BlockKey key_;
  std::byte* data_ = nullptr;
  bool used_ = false;
  std::uint32_t pins_ = 0;
  std::uint64_t generation_ = 0;  // grows when what is on its way must no longer be put here
  ByteRanges valid_, awaited_, dirty_, flushing_;
  boost::intrusive::list_member_hook<> chain_;  // of its hash bucket
  boost::intrusive::list_member_hook<> queue_;  // the free list or the dirty list
};

}  // namespace sunstar::file_systems::pvfs
