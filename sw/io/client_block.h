// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cassert>
#include <cstdint>
#include <utility>

#include "sw/io/replacement/entry.h"

namespace sunstar::io {

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

/// A buffer of a client's write-back cache: which of its bytes mean something, were written here, and are being sent.
class ClientBlock : public CacheEntry {
 public:
  explicit ClientBlock(std::byte* data) : data_(data) {}
  std::byte* data() const { return data_; }

  /// Bytes of the file that the buffer holds: fetched from the server, or written here.
  const ByteRanges& valid() const { return valid_; }
  /// Bytes written here that nobody has begun to send to the server.
  const ByteRanges& dirty() const { return dirty_; }
  /// Bytes written here that are on their way to the server.
  const ByteRanges& sending() const { return sending_; }
  /// Bytes written here that the server may not have.
  ByteRanges unsent() const {
    ByteRanges all = sending_;
    all.add(dirty_);
    return all;
  }

  void add_valid(ByteRange range) { valid_.add(range); }
  void invalidate(ByteRange range) { valid_.remove(range); }
  void add_dirty(ByteRange range) { dirty_.add(range); }
  void discard_dirty() { dirty_.clear(); }
  /// These dirty bytes are being sent; they stay valid.
  const ByteRanges& send(const ByteRanges& bytes) {
    assert(sending_.empty() && !bytes.empty());
    sending_ = bytes;
    dirty_.remove(sending_);
    return sending_;
  }
  /// The server has what send() returned. Bytes written since then are still dirty.
  void sent() { sending_.clear(); }

  /// While a block is pinned, it is neither replaced nor freed.
  void pin() { ++pins_; }
  void unpin() {
    assert(pins_ > 0);
    --pins_;
  }
  std::uint32_t pins() const { return pins_; }
  Replaceable replaceable() const override {
    if (pins_ > 0 || !sending_.empty()) return Replaceable::no;
    return dirty_.empty() ? Replaceable::yes : Replaceable::last;
  }

 protected:
  ByteRanges valid_, dirty_, sending_;

 private:
  std::byte* const data_;
  std::uint32_t pins_ = 0;
};

}  // namespace sunstar::io
