// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>

#include "sw/io/replacement/entry.h"

namespace sunstar::file_systems::pvfs {

/// The bytes [from, to) of a block.
struct ByteRange {
  std::uint32_t from = 0, to = 0;
  std::uint32_t bytes() const { return to - from; }
  bool operator==(const ByteRange&) const = default;
};

/// A set of bytes of a block, as the fewest ranges that make it up, in order. Two ranges fit without memory of their
/// own, because a block is mostly written from one end to the other.
// clang-tidy sees that small_vector may throw length_error; its move does not.
class ByteRanges {  // NOLINT(bugprone-exception-escape)
 public:
  ByteRanges() = default;
  explicit ByteRanges(ByteRange one) { add(one); }

  auto begin() const { return ranges_.begin(); }
  auto end() const { return ranges_.end(); }
  bool empty() const { return ranges_.empty(); }
  std::size_t count() const { return ranges_.size(); }  ///< of ranges
  std::uint32_t bytes() const;

  /// Whether all bytes of `range` are in the set.
  bool covers(ByteRange range) const {
    if (range.from == range.to) return true;
    const auto at = std::ranges::upper_bound(ranges_, range.from, {}, &ByteRange::from);
    return at != ranges_.begin() && std::prev(at)->to >= range.to;
  }

  void add(ByteRange range);
  void add(const ByteRanges& others) {
    for (const ByteRange r : others) add(r);
  }
  void remove(ByteRange range);
  void remove(const ByteRanges& others) {
    for (const ByteRange r : others) remove(r);
  }
  void clear() { ranges_.clear(); }

  bool operator==(const ByteRanges&) const = default;

 private:
  boost::container::small_vector<ByteRange, 2> ranges_;  // neither empty nor adjacent to one another
};

/// A block of a file: its bytes [number * block_bytes, (number + 1) * block_bytes).
using io::BlockKey;

enum class BlockState : std::uint8_t {
  free,     ///< holds no block of a file
  pending,  ///< some of its bytes are on their way from the server, and none has to go there
  clean,    ///< nothing is on its way; not all bytes need be valid
  dirty     ///< the server does not have all of its bytes yet; others may still be on their way from there
};

/// A buffer of the cache. Only the BlockCache changes it, apart from the bytes themselves.
class Block final : public io::CacheEntry {
 public:
  /// The buffer: block_bytes bytes, of which only the valid() ones mean something.
  std::byte* data() const { return data_; }

  BlockState state() const {
    if (!holds_block()) return BlockState::free;
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
