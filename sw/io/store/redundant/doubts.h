// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "sw/io/store/redundant/array.h"
#include "sw/io/store/redundant/counts.h"

namespace sunstar::io::redundant {

/// What the disks of an array may have lost with their power. What a disk has written since it last put all on the
/// medium is in doubt. The units count as bad until each has been made anew of the others of its row and written. Where
/// too many of a row are in doubt, they are given up: they are trusted again, the row's missing data are among the lost
/// writes, and its checks must be made to fit what is there. All this is in the server's memory; if that is lost, too,
/// nobody makes anything anew.
class Doubts {
 public:
  Doubts(Array& array, Counts& counts) : array_(array), counts_(counts) {}

  /// The disk may have lost what it wrote there.
  void add(std::uint32_t disk, const DiskDriver::Sectors& sectors);
  /// If too many units of the row are in doubt, none is any more, and what they held may be lost. Whether that was so.
  bool give_up(std::uint64_t row);
  /// A unit that was to be made anew cannot be.
  void give_up(Member unit);
  /// A disk has failed: what rows have that wait for new checks cannot be computed from these.
  void disk_failed();

  /// What is to be made anew; takes units of `units`, and keeps a row of `rows` until it has been done.
  bool any() const { return !units_.empty() || !rows_.empty(); }
  std::optional<Member> take_unit();
  std::uint64_t row_without_checks() const { return rows_.front(); }
  void row_done() { rows_.pop_front(); }

  bool any_lost() const { return !lost_.empty(); }
  std::vector<LostWrite> take_lost() { return std::exchange(lost_, {}); }

 private:
  void note_lost(std::uint64_t row);
  void trust(const Extent& unit);

  Array& array_;
  Counts& counts_;
  std::deque<Member> units_;        // to be made anew
  std::deque<std::uint64_t> rows_;  // whose checks must be made anew; the first one may be under way
  std::vector<LostWrite> lost_;
};

}  // namespace sunstar::io::redundant
