// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "sw/io/store/redundant/plan.h"

namespace sunstar::io::redundant {

/// The units that an array is to its users. A unit is what a disk holds of data, without its checks and copies, in the
/// order in which they lie on it: so a unit is busy with one disk, and several units with several. There are as many as
/// disks that hold data: all of a RAID 5 or 6 and of declustered parity, all but one of a RAID 4, one of each pair of
/// mirrors.
class Units {
 public:
  /// The geometry must outlive this.
  explicit Units(const Geometry& geometry);

  std::uint32_t count() const { return static_cast<std::uint32_t>(units_.size()); }
  /// The disk that a unit's data are on.
  std::uint32_t disk(std::uint32_t unit) const { return units_[unit].disk; }
  /// Sectors of a unit, on disks of that many sectors.
  std::uint64_t sectors(std::uint32_t unit, std::uint64_t disk_sectors) const;
  /// Where sectors of a unit are: a part for each stripe unit, by row.
  std::vector<Part> parts(std::uint32_t unit, std::uint64_t sector, std::uint32_t sectors) const;
  /// The sector of the unit that this sector of its disk holds; none if it holds checks, or nothing.
  std::optional<std::uint64_t> sector_at(std::uint32_t unit, std::uint64_t disk_sector) const;

 private:
  struct Unit {
    std::uint32_t disk = 0;
    std::vector<Member> of_table;        ///< in the order of their places on the disk, which is that of their rows
    std::vector<std::int64_t> at_place;  ///< by place in the table: number in of_table; -1: no data
  };
  const Geometry& geometry_;
  std::vector<Unit> units_;
};

}  // namespace sunstar::io::redundant
