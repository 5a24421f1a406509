// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>

#include "sw/io/byte_ranges.h"
#include "sw/io/replacement/entry.h"

namespace sunstar::file_systems::pvfs {

/// A block of a file: its bytes [number * block_bytes, (number + 1) * block_bytes).
using io::BlockKey;
using io::ByteRange;
using io::ByteRanges;

/// A buffer of the cache. Only the BlockCache changes it, apart from the bytes themselves.
class Block final : public io::CacheEntry {
 public:
  /// The buffer: block_bytes bytes, of which only the valid() ones mean something.
  std::byte* data() const { return data_; }

  /// Bytes of the file that the buffer holds: fetched from the server, or written here.
  const ByteRanges& valid() const { return valid_; }
  /// Bytes that are on their way from the server.
  const ByteRanges& awaited() const { return awaited_; }
  /// Bytes written here that nobody has begun to send to the server.
  const ByteRanges& dirty() const { return dirty_; }
  bool pending() const { return !awaited_.empty(); }
  /// Between BlockCache::start_flush() and mark_clean().
  bool flushing() const { return !flushing_.empty(); }
  /// Bytes written here that the server may not have.
  ByteRanges to_flush() const {
    ByteRanges all = flushing_;
    for (const ByteRange range : dirty_) all.add(range);
    return all;
  }
  std::uint32_t pins() const { return pins_; }
  Replaceable replaceable() const override {
    if (pins_ > 0 || pending() || flushing()) return Replaceable::no;
    return dirty_.empty() ? Replaceable::yes : Replaceable::last;
  }

 private:
  friend class BlockCache;
  std::byte* data_ = nullptr;
  std::uint32_t pins_ = 0;
  std::uint64_t generation_ = 0;  // grows when what is on its way must no longer be put here
  ByteRanges valid_, awaited_, dirty_, flushing_;
  boost::intrusive::list_member_hook<> queue_;  // the dirty list
};

}  // namespace sunstar::file_systems::pvfs
