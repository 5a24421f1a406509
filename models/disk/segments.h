// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/disk/geometry.h"

namespace sunstar::disk {

/// The on-board buffer besides the stream being read: one run of blocks in each segment; the segment unused for longest
/// is replaced first. Sizes are in sectors.
class Segments {
 public:
  struct Segment {
    Lbn first = 0, end = 0;  ///< blocks [first, end)
    std::uint64_t used = 0;  ///< order of last use
    bool written = false;    ///< whether it holds data of writes
    bool empty() const { return first == end; }
    bool holds(Lbn lbn) const { return lbn >= first && lbn < end; }
  };

  /// `count` segments, of which at most `for_writes` hold writes; with `separate` the last is reserved for writes.
  Segments(std::uint32_t count, std::uint32_t for_writes, bool separate, std::uint64_t size)
      : all_(count),
        for_reads_(separate ? count - 1 : count),
        for_writes_(for_writes),
        separate_(separate),
        size_(size) {}

  Segment& operator[](std::size_t i) { return all_[i]; }
  std::uint64_t size() const { return size_; }
  void touch(std::size_t i) { all_[i].used = ++clock_; }

  /// The segment that holds the block; count() if none does.
  std::size_t holding(Lbn lbn, bool written_too) const {
    return find([&](const Segment& s) { return s.holds(lbn) && (written_too || !s.written); });
  }
  /// The segment whose blocks end where `lbn` begins, a segment of writes if `written`, otherwise of reads; count() if
  /// there is none.
  std::size_t ending_at(Lbn lbn, bool written) const {
    return find([&](const Segment& s) { return !s.empty() && s.end == lbn && s.written == written; });
  }
  std::size_t count() const { return all_.size(); }

  /// The segment that a new run of read blocks replaces.
  std::size_t for_read() const {
    return oldest([&](std::size_t i) { return i < for_reads_; });
  }
  /// The segment that a new run of written blocks replaces.
  std::size_t for_write() const {
    if (separate_) return all_.size() - 1;
    const auto in_use = std::count_if(all_.begin(), all_.end(), [](const Segment& s) { return s.written; });
    const bool full = in_use >= static_cast<std::ptrdiff_t>(for_writes_);
    return oldest([&](std::size_t i) { return !full || all_[i].written; });
  }
  void fill(std::size_t i, Lbn first, Lbn end, bool written) {
    if (end - first > size_) first = end - size_;
    all_[i] = {first, end, ++clock_, written};
  }
  /// Blocks [first, end) have been written: drops their stale copies in all other segments, of reads and of older
  /// writes.
  void overwrite(Lbn first, Lbn end, std::size_t except) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      Segment& s = all_[i];
      if (i == except || s.empty() || end <= s.first || first >= s.end) continue;
      if (first <= s.first) s.first = std::min(end, s.end);
      else s.end = first;
    }
  }

 private:
  template <class Wanted>
  std::size_t find(Wanted wanted) const {
    return static_cast<std::size_t>(std::find_if(all_.begin(), all_.end(), wanted) - all_.begin());
  }
  template <class Allowed>
  std::size_t oldest(Allowed allowed) const {
    std::size_t best = all_.size();
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (allowed(i) && (best == all_.size() || all_[i].used < all_[best].used)) best = i;
    return best;
  }

  std::vector<Segment> all_;
  std::size_t for_reads_, for_writes_;
  bool separate_;
  std::uint64_t size_, clock_ = 0;
};

}  // namespace sunstar::disk
