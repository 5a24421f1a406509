// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstdint>

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

}  // namespace sunstar::io
