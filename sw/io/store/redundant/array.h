// SPDX-License-Identifier: MIT
#pragma once
#include "sw/io/store/redundant/store.h"

namespace sunstar::io::redundant {

/// Whether a request to an array has its rows to itself.
BOOST_DEFINE_ENUM_CLASS(RowUse,
                        exclusive,  ///< as server.h says
                        shared      ///< no request waits for a row. A write to a disk begins as soon as the reads have
                                ///< ended that it and the request's other writes to that disk wait for. Checks may be
                                ///< wrong then: for the comparison with a simulator that moves no data and does so
)

/// The common properties of a store's arrays, besides the parameters that all kinds of stores have.
struct Design {
  Planner::Rule rule;
  ReadCopy read_copy = ReadCopy::primary;
  Duration plug{};  ///< how long a write waits for other writes of its row
  bool tell_rows = false;
  RowUse rows = RowUse::exclusive;
};

/// The array of the drives of one I/O processor: the common knowledge of its firmware and of observers of its media.
///
/// Its users see units. A unit is one disk's data, without checks and copies, in their order on the disk: so a unit
/// keeps one disk busy, and several units several disks. Each disk with data has a unit: all disks of a RAID 5 or 6 and
/// of declustered parity, all but one of a RAID 4, one of each pair of mirrors.
class Array {
 public:
  /// The drives in the order of their numbers at the I/O processor: the disks of the geometry, then the spares.
  Array(Geometry geometry, const Common& params, const Design& design, std::vector<std::unique_ptr<RawDisk>> drives);
  Array(const Array&) = delete;

  const Geometry& geometry() const { return geometry_; }
  const Common& params() const { return params_; }
  const Design& design() const { return design_; }
  std::uint32_t units() const { return static_cast<std::uint32_t>(units_.size()); }
  std::uint32_t unit_disk(std::uint32_t unit) const { return units_[unit].disk; }
  std::uint64_t unit_sectors(std::uint32_t unit) const;
  /// The places of a unit's sectors: a part for each stripe unit, by row.
  std::vector<Part> parts(std::uint32_t unit, std::uint64_t sector, std::uint32_t sectors) const;
  /// The sector of the unit that this sector of its disk holds; none if the disk's sector holds checks, or nothing.
  std::optional<std::uint64_t> sector_at(std::uint32_t unit, std::uint64_t disk_sector) const;
  /// Sectors of the smallest drive.
  std::uint64_t disk_sectors() const { return disk_sectors_; }
  std::uint64_t rows() const { return geometry_.rows(disk_sectors_); }
  std::uint32_t sector_bytes() const { return drives_.front()->shape().sector_bytes; }
  std::uint32_t unit_bytes() const { return geometry_.unit_sectors() * sector_bytes(); }
  /// Drives, with spares.
  std::size_t drives() const { return drives_.size(); }
  /// The number of the drive that serves as a disk of the geometry: its own, or a spare's.
  std::uint32_t home(std::uint32_t disk) const { return homes_[disk]; }
  RawDisk& drive(std::uint32_t disk) { return *drives_[homes_[disk]]; }
  const RawDisk& drive(std::uint32_t disk) const { return *drives_[homes_[disk]]; }
  /// Calls visit(drive) for the disk's drive, and for the drives that have failed in its place.
  template <class Visit>
  void for_each_home(std::uint32_t disk, Visit visit) const {
    visit(drive(disk));
    for (const std::uint32_t d : earlier_homes_[disk]) visit(static_cast<const RawDisk&>(*drives_[d]));
  }

  const Failures& failures() const { return failures_; }
  /// The number of changes of failures().
  std::uint64_t changes() const { return changes_; }
  void fail(std::uint32_t disk) { set_failed(disk, true); }
  /// Puts a spare in the place of a failed disk, before any rebuild. Returns false if no spare is left.
  bool use_spare(std::uint32_t disk);
  /// The disk has been rebuilt up to `sectors`, from its first sector on; fully rebuilt, it is no longer failed.
  void rebuilt(std::uint32_t disk, std::uint64_t sectors) {
    ++changes_;
    failures_.rebuilt[disk] = sectors;
  }
  void rebuilt_all(std::uint32_t disk) { set_failed(disk, false); }

  /// A unit of a working disk may hold old data, so it counts as failed; trust(): it is right again, or taken as right.
  void mark_stale(const Extent& unit) { changes_ += failures_.bad.insert(unit).second; }
  void trust(const Extent& unit) { changes_ += failures_.bad.erase(unit); }
  /// The unit has been computed from the row's other units, and written.
  void made_anew(const Extent& unit) { anew_.insert(unit); }

  /// Carries a plan out on the media, outside simulated time. `own`: the request's data, which a read fills in. Returns
  /// false for a plan that is lost.
  bool carry_out(const Plan& plan, content::Content& own);
  Plan read(std::uint32_t unit, std::uint64_t sector, std::uint32_t sectors) const;
  Plan write(std::uint32_t unit, std::uint64_t sector, std::uint32_t sectors) const;

  /// Whether too many disks have failed, so that data are lost.
  bool lost() const;
  /// Bytes of a unit, from `offset` to the end of the stripe unit, that drives have corrupted or lost with their power,
  /// or that were computed from such bytes, or that are lost because too many disks have failed.
  std::uint64_t silently_wrong(std::uint32_t unit, std::uint64_t offset) const;
  std::uint64_t lost_bytes(std::uint32_t unit, std::uint64_t offset) const;

  /// The first check unit, among written rows, that does not match its data, as a sentence without a full stop. Failed
  /// disks do not count, nor do rows in which a drive has corrupted bytes or lost them with its power. Mismatched rows
  /// in `open`, whose writes were cut short, are added to `holes` instead.
  std::optional<std::string> wrong_check(const std::set<std::uint64_t>& open, std::uint64_t& holes) const;

 private:
  const Geometry geometry_;
  const Common params_;
  const Design design_;
  struct Unit {
    std::uint32_t disk = 0;
    std::vector<Member> of_table;  ///< in the order of their places on the disk, and so of their rows
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
  std::uint64_t disk_sectors_;  // sectors of the smallest drive
  Failures failures_;
  std::set<Extent> anew_;  // all units ever made anew
  std::uint64_t changes_ = 0;
  Planner planner_;  // outside simulated time: always reads the first copy
};

/// A unit of an array, outside simulated time. Writes keep the checks right. In rows that have lost too many disks, it
/// has the content of the unit's own drive, and reports it as lost.
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
