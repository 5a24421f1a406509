// SPDX-License-Identifier: MIT
#include "sw/io/client_block.h"

namespace sunstar::io {

std::uint32_t ByteRanges::bytes() const {
  std::uint32_t all = 0;
  for (const ByteRange r : ranges_) all += r.bytes();
  return all;
}

void ByteRanges::add(ByteRange range) {
  if (range.from == range.to) return;
  // Ranges that overlap or touch the new range become one with it.
  const auto first = std::ranges::lower_bound(ranges_, range.from, {}, &ByteRange::to);
  auto last = first;
  for (; last != ranges_.end() && last->from <= range.to; ++last) {
    range.from = std::min(range.from, last->from);
    range.to = std::max(range.to, last->to);
  }
  if (first == last) {
    ranges_.insert(first, range);
  } else {
    *first = range;
    ranges_.erase(std::next(first), last);
  }
}

void ByteRanges::remove(ByteRange range) {
  if (range.from == range.to) return;
  const auto first = std::ranges::upper_bound(ranges_, range.from, {}, &ByteRange::to);
  auto last = first;
  ByteRange before{range.from, range.from}, after{range.to, range.to};  // the rests of cut ranges
  for (; last != ranges_.end() && last->from < range.to; ++last) {
    before.from = std::min(before.from, last->from);
    after.to = std::max(after.to, last->to);
  }
  auto at = ranges_.erase(first, last);
  if (after.bytes() > 0) at = ranges_.insert(at, after);
  if (before.bytes() > 0) ranges_.insert(at, before);
}

}  // namespace sunstar::io
