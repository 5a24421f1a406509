// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Balanced incomplete block designs: the disks of the rows of a declustered array. The places of an array's sectors on
// its disks: address arithmetic alone, without a simulation.
namespace sunstar::io::redundant {

/// The disks of a row, in order.
using Tuple = std::vector<std::uint32_t>;

/// Tuples of `group` of `disks` disks. All disks are in equally many tuples, and so are all pairs of disks. From a
/// difference set where one is listed (geometry.cpp), otherwise all combinations, up to `most_tuples`; empty if
/// there are more.
std::vector<Tuple> block_design(std::uint32_t disks, std::uint32_t group);
inline constexpr std::uint32_t most_tuples = 1000;

bool has_block_design(std::uint32_t disks, std::uint32_t group);
/// The allowed groups, as the end of a sentence.
std::string block_design_rule();

/// The places of parity and of the first data (Lee and Katz, ASPLOS 1991). Left: the parity of row r is on disk N-1 - r
/// mod N, right: on disk r mod N. Symmetric: data begin on the disk after the parity, so that consecutive units go
/// round the disks; asymmetric: data begin on disk 0 and pass over the parity.
BOOST_DEFINE_ENUM_CLASS(Rotation, left_symmetric, left_asymmetric, right_symmetric, right_asymmetric)

/// A unit of a row. Members 0 to data - 1 of a row hold data; the others check them: P, and Q after it.
struct Member {
  std::uint64_t row = 0;
  std::uint32_t member = 0;
  bool operator==(const Member&) const = default;
};

struct Extent {
  std::uint32_t disk = 0;
  std::uint64_t sector = 0;
  std::uint32_t sectors = 0;
  auto operator<=>(const Extent&) const = default;
};

/// An array of disks: rows of stripe units. A row has units of data, which are neighbours in the array's addresses, and
/// check units, each on a disk of its own. A row with one unit of data is a mirror: the checks are copies. Rows follow
/// a table, which repeats itself down the disks.
class Geometry {
 public:
  /// A unit of the table: its disk, and the number of the table's units before it there.
  struct Cell {
    std::uint32_t disk = 0, unit = 0;
  };

  /// RAID 0: unit u on disk u mod N. At least one disk.
  static Geometry striped(std::uint32_t disks, std::uint32_t unit_sectors);
  /// RAID 1 and 10: striped over the first N / copies disks; copy c of disk i is disk i + c N / copies. N must be a
  /// multiple of `copies`.
  static Geometry mirrored(std::uint32_t disks, std::uint32_t copies, std::uint32_t unit_sectors);
  /// RAID 4: parity on the last of at least two disks.
  static Geometry parity_disk(std::uint32_t disks, std::uint32_t unit_sectors);
  /// RAID 5 (one check) and 6 (two; Q is on the disk after P), on at least one disk more than checks.
  static Geometry rotated(std::uint32_t disks, std::uint32_t checks, Rotation, std::uint32_t unit_sectors);
  /// Declustered parity (Muntz and Lui 1990, Holland and Gibson 1992): rows of `group` units on the disks of a balanced
  /// block design, `group` times over, so that parity is in each place of its tuples once. All pairs of disks share
  /// equally many rows.
  static Geometry declustered(std::uint32_t disks, std::uint32_t group, std::uint32_t unit_sectors);

  std::uint32_t disks() const { return disks_; }
  std::uint32_t unit_sectors() const { return unit_sectors_; }
  std::uint32_t data() const { return data_; }
  std::uint32_t checks() const { return checks_; }
  std::uint32_t members() const { return data_ + checks_; }
  bool mirror() const { return data_ == 1 && checks_ > 0; }
  std::uint64_t row_sectors() const { return std::uint64_t{data_} * unit_sectors_; }
  /// Rows, and units of each disk, after which the table begins again.
  std::uint32_t table_rows() const { return table_rows_; }
  std::uint32_t table_depth() const { return depth_; }

  /// Rows that fit on disks of `disk_sectors`.
  std::uint64_t rows(std::uint64_t disk_sectors) const;
  /// Sectors of data on such disks.
  std::uint64_t sectors(std::uint64_t disk_sectors) const { return rows(disk_sectors) * row_sectors(); }

  /// Sectors [from, from + sectors) of a member's unit; whole(): the whole unit.
  Extent at(Member, std::uint32_t from, std::uint32_t sectors) const;
  Extent whole(Member m) const { return at(m, 0, unit_sectors_); }
  std::uint32_t disk_of(Member m) const { return cell(m).disk; }
  /// The member that the sector of a disk belongs to; none in a table's unused units.
  std::optional<Member> member_at(std::uint32_t disk, std::uint64_t sector) const;

  Member member_of(std::uint64_t sector) const {
    const std::uint64_t unit = sector / unit_sectors_;
    return {unit / data_, static_cast<std::uint32_t>(unit % data_)};
  }

 private:
  Geometry(std::uint32_t disks, std::uint32_t data, std::uint32_t checks, std::uint32_t unit_sectors,
           std::vector<Cell> cells);
  const Cell& cell(Member m) const { return cells_[m.row % table_rows_ * members() + m.member]; }

  std::uint32_t disks_, data_, checks_, unit_sectors_, table_rows_, depth_ = 0;
  std::vector<Cell> cells_;             // by row of the table and member
  std::vector<std::uint32_t> deepest_;  // by row of the table: units needed for it and the rows before it
  std::vector<std::int64_t> cell_of_;   // by disk and unit of the table: the cell; -1: none
};

}  // namespace sunstar::io::redundant
