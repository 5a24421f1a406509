// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/io/store/redundant/plan.h"
#include "sw/io/store/redundant/store.h"

namespace sunstar::io::redundant {

/// Whether requests to an array keep its rows to themselves.
enum class RowUse {
  exclusive,  ///< as server.h says
  shared      ///< nobody waits for a row. A write to a disk begins as soon as what it and the request's others to that
              ///< disk wait for has ended. Checks may be wrong then: for the comparison with a simulator that moves no
              ///< data and does so
};
BOOST_DESCRIBE_ENUM(RowUse, exclusive, shared)

/// What all arrays of a store have in common, beside the parameters that all kinds of stores have.
struct Design {
  Planner::Rule rule;
  ReadCopy read_copy = ReadCopy::primary;
  Duration plug{};  ///< how long a write waits for others of its row
  bool tell_rows = false;
  RowUse rows = RowUse::exclusive;
};

/// The array of the drives of one I/O processor: what both its firmware and whoever looks at its media know of it.
///
/// It has units to its users. A unit is what a disk holds of data, without its checks and copies, in the order in which
/// they lie on it: so a unit is busy with one disk, and several units with several. There are as many as disks that
/// hold data: all of a RAID 5 or 6 and of declustered parity, all but one of a RAID 4, one of each pair of mirrors.
class Array {
 public:
  /// The drives in the order of their numbers at the I/O processor: the disks of the geometry, then the spares.
  Array(Geometry geometry, const Common& params, const Design& design, std::vector<std::unique_ptr<RawDisk>> drives);
  Array(const Array&) = delete;

  const Geometry& geometry() const { return geometry_; }
  const Common& params() const { return params_; }
  const Design& design() const { return design_; }
  std::uint32_t units() const { return static_cast<std::uint32_t>(units_.size()); }
  /// The disk that a unit's data are on.
  std::uint32_t unit_disk(std::uint32_t unit) const { return units_[unit].disk; }
  std::uint64_t unit_sectors(std::uint32_t unit) const;
  /// Where sectors of a unit are: a part for each stripe unit, by row.
  std::vector<Part> parts(std::uint32_t unit, std::uint64_t sector, std::uint32_t sectors) const;
  /// The sector of the unit that this sector of its disk holds; none if it holds checks, or nothing.
  std::optional<std::uint64_t> sector_at(std::uint32_t unit, std::uint64_t disk_sector) const;
  /// Sectors of the smallest drive.
  std::uint64_t disk_sectors() const { return disk_sectors_; }
  std::uint64_t rows() const { return geometry_.rows(disk_sectors_); }
  std::uint32_t sector_bytes() const { return drives_.front()->shape().sector_bytes; }
  std::uint32_t unit_bytes() const { return geometry_.unit_sectors() * sector_bytes(); }
  /// Drives, with spares.
  std::size_t drives() const { return drives_.size(); }
  /// The number of the drive in whose place a disk of the geometry is: its own, or a spare's.
  std::uint32_t home(std::uint32_t disk) const { return homes_[disk]; }
  RawDisk& drive(std::uint32_t disk) { return *drives_[homes_[disk]]; }
  const RawDisk& drive(std::uint32_t disk) const { return *drives_[homes_[disk]]; }
  /// Calls visit(drive) for the disk's drive, and for those that have failed in its place.
  template <class Visit>
  void for_each_home(std::uint32_t disk, Visit visit) const {
    visit(drive(disk));
    for (const std::uint32_t d : earlier_homes_[disk]) visit(static_cast<const RawDisk&>(*drives_[d]));
  }

  /// Disks that have failed.
  const Failures& failures() const { return failures_; }
  /// How often they have changed.
  std::uint64_t changes() const { return changes_; }
  void fail(std::uint32_t disk) { set_failed(disk, true); }
  /// Puts a spare in the place of a failed disk, of which nothing has been rebuilt yet. Returns false if none is left.
  bool use_spare(std::uint32_t disk);
  /// So much of it has been rebuilt, from its first sector on; all: it has failed no longer.
  void rebuilt(std::uint32_t disk, std::uint64_t sectors) {
    ++changes_;
    failures_.rebuilt[disk] = sectors;
  }
  void rebuilt_all(std::uint32_t disk) { set_failed(disk, false); }

  /// A unit of a disk that works may hold old data, so that it counts as failed; it holds the right ones again, or
  /// nobody knows better.
  void doubt(const Extent& unit) { changes_ += failures_.bad.insert(unit).second; }
  void trust(const Extent& unit) { changes_ += failures_.bad.erase(unit); }
  /// It has been computed from the others of its row, and written.
  void made_anew(const Extent& unit) { anew_.insert(unit); }

  /// Carries a plan out on the media, outside simulated time. `own`: the request's data, which a read fills in. Returns
  /// false for a plan that is lost.
  bool carry_out(const Plan& plan, content::Content& own);
  Plan read(std::uint32_t unit, std::uint64_t sector, std::uint32_t sectors) const;
  Plan write(std::uint32_t unit, std::uint64_t sector, std::uint32_t sectors) const;

  /// Whether so many disks have failed that data are lost.
  bool lost() const;
  /// Bytes from a byte of a unit on, in its stripe unit, that drives have made others, or lost with their power, or
  /// that follow from such; with what is lost because too many disks have failed.
  std::uint64_t silently_wrong(std::uint32_t unit, std::uint64_t offset) const;
  std::uint64_t lost_bytes(std::uint32_t unit, std::uint64_t offset) const;

  /// The first check unit, among rows of which anything has been written, that is not what the data ask for, as a
  /// sentence without a full stop. What failed disks hold does not count, nor do rows of which a drive has made bytes
  /// others or lost them with its power. Of the rows in `open`, whose writes were cut short, it adds those to `holes`.
  std::optional<std::string> wrong_check(const std::set<std::uint64_t>& open, std::uint64_t& holes) const;

 private:
  const Geometry geometry_;
  const Common params_;
  const Design design_;
  struct Unit {
    std::uint32_t disk = 0;
    std::vector<Member> of_table;  ///< in the order of their places on the disk, which is that of their rows
  };
  std::vector<Unit> units_;
  /// The sector that holds a byte of a unit, and the byte's offset in its stripe unit.
  std::pair<Part, std::uint64_t> part_at(std::uint32_t unit, std::uint64_t offset) const;
  bool spoilt(std::uint64_t row) const;
  void set_failed(std::uint32_t disk, bool failed) {
    ++changes_;
    failures_.failed[disk] = failed;
    failures_.rebuilt[disk] = 0;
  }

  const std::vector<std::unique_ptr<RawDisk>> drives_;
  std::vector<std::uint32_t> homes_;                       // by disk: number of the drive
  std::vector<std::vector<std::uint32_t>> earlier_homes_;  // by disk: the drives that have failed in its place
  std::uint32_t next_spare_;
  std::uint64_t disk_sectors_;  // of the smallest drive
  Failures failures_;
  std::set<Extent> anew_;  // units that have been made anew, ever
  std::uint64_t changes_ = 0;
  Planner planner_;  // outside simulated time: always reads the first copy
};

/// A unit of an array, outside simulated time. Checks stay right below it. Of rows that have lost more disks than they
/// can do without it has what is on the unit's own drive, and calls it lost.
class RawUnit final : public RawDisk {
 public:
  RawUnit(Array& array, std::uint32_t unit);
  using RawDisk::read;
  using RawDisk::write;
  void read(std::uint64_t sector, std::uint32_t bytes, content::Content& to) const override;
  void write(std::uint64_t sector, const content::Content& from) override;
  void for_each_written(const Visit& visit) const override;
  std::uint64_t silently_wrong(std::uint64_t offset) const override { return array_.silently_wrong(unit_, offset); }
  std::uint64_t lost_with_power(std::uint64_t offset) const override { return array_.lost_bytes(unit_, offset); }

 private:
  Array& array_;
  const std::uint32_t unit_;
};

}  // namespace sunstar::io::redundant
