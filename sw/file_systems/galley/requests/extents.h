// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <vector>

namespace sunstar::file_systems::galley {

/// A contiguous run of bytes of a fork or of a memory.
struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  bool operator==(const Extent&) const = default;
};

/// Where a stream of bytes lies in a fork or in a memory: extents, one behind the other in the stream. Requests name
/// records at equal distances, so they are stored as runs of equal extents, and take memory for each run only.
class Extents {
 public:
  /// Appends `count` extents, none of them empty, whose beginnings are `stride` apart; a negative stride is one modulo
  /// 2^64. Neighbours become one extent if the second begins where the first ends; the order is kept.
  void append(Extent first, std::uint64_t stride = 0, std::uint64_t count = 1);
  void append(const Extents& more) {
    for (const Run& run : more.runs_) append(run.first, run.stride, run.count);
  }

  /// The number of extents, and of the runs that they are stored as.
  std::uint64_t size() const { return size_; }
  std::size_t runs() const { return runs_.size(); }
  std::uint64_t bytes() const { return runs_.empty() ? 0 : runs_.back().end(); }
  /// Whether no two extents overlap.
  bool apart() const;

  /// An extent, or a part of one, and where in the stream it begins.
  struct Piece : Extent {
    std::uint64_t position = 0;
    bool operator==(const Piece&) const = default;
  };
  class Iterator;
  /// The pieces in [position, position + bytes) of the stream, which must not go beyond its end, in its order. It takes
  /// O(log n) of n runs to find the first.
  auto pieces(std::uint64_t position, std::uint64_t bytes) const;
  auto pieces() const;

 private:
  struct Run {
    Extent first;
    std::uint64_t stride, count;
    std::uint64_t position;  ///< of the first byte in the stream
    std::uint64_t end() const { return position + count * first.bytes; }
  };
  void add(Extent first, std::uint64_t stride, std::uint64_t count);

  std::vector<Run> runs_;
  std::uint64_t size_ = 0;
};

class Extents::Iterator {
 public:
  using value_type = Piece;
  using difference_type = std::ptrdiff_t;

  /// `runs` holds the runs of [position, end).
  Iterator(const Run* runs, std::uint64_t position, std::uint64_t end) : run_(runs), end_(end) {
    piece_.position = position;
    if (position == end) return;
    const std::uint64_t into = position - run_->position, index = into / run_->first.bytes,
                        cut = into % run_->first.bytes;
    begin_ = run_->first.offset + index * run_->stride;
    left_ = run_->count - index;
    piece_.offset = begin_ + cut;
    piece_.bytes = std::min(run_->first.bytes - cut, end - position);
  }
  const Piece& operator*() const { return piece_; }
  const Piece* operator->() const { return &piece_; }
  Iterator& operator++() {
    piece_.position += piece_.bytes;
    if (piece_.position == end_) return *this;
    if (--left_ > 0) {
      begin_ += run_->stride;
    } else {
      begin_ = (++run_)->first.offset;
      left_ = run_->count;
    }
    piece_.offset = begin_;
    piece_.bytes = std::min(run_->first.bytes, end_ - piece_.position);
    return *this;
  }
  void operator++(int) { ++*this; }
  bool operator==(std::default_sentinel_t) const { return piece_.position == end_; }

 private:
  const Run* run_;
  std::uint64_t begin_ = 0, left_ = 0;  // where the extent begins; extents of the run from it on
  std::uint64_t end_;
  Piece piece_;
};

inline auto Extents::pieces(std::uint64_t position, std::uint64_t bytes) const {
  const auto behind = std::ranges::upper_bound(runs_, position, {}, &Run::position);
  const Run* const run = runs_.data() + (behind - runs_.begin()) - (runs_.empty() ? 0 : 1);
  return std::ranges::subrange(Iterator(run, position, position + bytes), std::default_sentinel);
}
inline auto Extents::pieces() const { return pieces(0, bytes()); }

}  // namespace sunstar::file_systems::galley
