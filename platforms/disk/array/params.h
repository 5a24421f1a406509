// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/one_of.h"
#include "models/core/param.h"
#include "models/core/problems.h"
#include "sw/io/store/disk_driver.h"
#include "sw/io/store/redundant/array.h"

// The array of sunstar-disk: drives and drivers, without a processor, a controller or any time to compute.
namespace sunstar::disk_platform {

/// How the drives of an array turn.
BOOST_DEFINE_ENUM_CLASS(ArraySpindles,
                        independent,  ///< each at a phase of its own
                        synchronised  ///< in phase, with the arms at the same cylinder at the start
)

struct NoArray {
  static constexpr std::string_view kind = "none";
  static constexpr std::string_view help = "one drive by itself";
};

struct Raid0 {
  static constexpr std::string_view kind = "raid0";
  static constexpr std::string_view help = "stripe units in turn, without redundancy";
};

struct Raid1 {
  static constexpr std::string_view kind = "raid1";
  static constexpr std::string_view help = "striped over the first disks; the others hold their copies (RAID 10)";
  std::uint32_t copies = 2;
  io::redundant::ReadCopy read_copy = io::redundant::ReadCopy::primary;
};
BOOST_DESCRIBE_STRUCT(Raid1, (), (copies, read_copy))
inline std::vector<Param> parameters(const Raid1*) {
  return {{"copies", "copies of everything; the number of disks must be a multiple", "2", "8"},
          {"read_copy",
           "which copy is read: the first, any, in turn, the one nearest the last command's first sector, the one with "
           "the fewest commands at its disk, or of those the nearest; of equals, any"}};
}

/// How parity is kept up to date.
struct ParityRule {
  std::uint32_t reconstruct_from = 0;
  io::redundant::FullRow full_row = io::redundant::FullRow::covered;
};
BOOST_DESCRIBE_STRUCT(ParityRule, (), (reconstruct_from, full_row))
inline std::vector<Param> parameters(const ParityRule*) {
  return {{"reconstruct_from",
           "a write to this many units of a row or more reads the others and computes parity anew; to fewer, it reads "
           "the old data and parity. 0: the one that reads less; of equals, the second",
           "0", "1024"},
          {"full_row",
           "when parity is computed without reading: if all of a row is written, or if each of its units is touched, "
           "which keeps no parity right and is for comparisons with a simulator that does so"}};
}

struct Raid4 : ParityRule {
  static constexpr std::string_view kind = "raid4";
  static constexpr std::string_view help = "parity on the last disk";
};
BOOST_DESCRIBE_STRUCT(Raid4, (ParityRule), ())

struct Raid5 : ParityRule {
  static constexpr std::string_view kind = "raid5";
  static constexpr std::string_view help = "parity on each disk in turn";
  io::redundant::Rotation layout = io::redundant::Rotation::left_symmetric;
};
BOOST_DESCRIBE_STRUCT(Raid5, (ParityRule), (layout))
inline std::vector<Param> parameters(const Raid5*) {
  return {{"layout",
           "left: parity moves from the last disk to the first, right: from the first to the last; symmetric: a row's "
           "data begin behind its parity, asymmetric: on the first disk"}};
}

struct Raid6 : ParityRule {
  static constexpr std::string_view kind = "raid6";
  static constexpr std::string_view help = "two checks on each two disks in turn: two disks may fail";
  io::redundant::Rotation layout = io::redundant::Rotation::left_symmetric;
};
BOOST_DESCRIBE_STRUCT(Raid6, (ParityRule), (layout))
inline std::vector<Param> parameters(const Raid6*) {
  return {{"layout", "as of raid5; the second check follows the first"}};
}

struct Declustered : ParityRule {
  static constexpr std::string_view kind = "parity-declustered";
  static constexpr std::string_view help = "rows of a group of the disks, by a block design, with parity";
  std::uint32_t group = 4;
};
BOOST_DESCRIBE_STRUCT(Declustered, (ParityRule), (group))
inline std::vector<Param> parameters(const Declustered*) {
  return {{"group", "disks of a row, parity included", "2", "64"}};
}

struct ArrayParams {
  OneOf<NoArray, Raid0, Raid1, Raid4, Raid5, Raid6, Declustered> kind;
  std::uint32_t disks = 5;
  Bytes stripe_unit{32 << 10};
  ArraySpindles spindles = ArraySpindles::independent;
  io::redundant::RowUse rows = io::redundant::RowUse::exclusive;
  std::string queue_order = "c-look";
  std::uint32_t join_gap = 0;
  std::vector<std::uint32_t> failed;
  std::uint32_t corrections = 20;
};
BOOST_DESCRIBE_STRUCT(ArrayParams, (),
                      (kind, disks, stripe_unit, spindles, rows, queue_order, join_gap, failed, corrections))
inline std::vector<Param> parameters(const ArrayParams*) {
  const auto of_array = [](Param p) { return std::move(p).used_unless("kind", "none"); };
  return {{"kind", "how the drives form an array"},
          of_array({"disks", "drives, all of the same kind, each alone on its bus", "1", "1024"}),
          of_array({"stripe_unit", "consecutive bytes on one disk", "512B", "1GiB"}),
          of_array({"spindles",
                    "whether the drives turn in phase, with their arms at the same cylinder at the start, or each at "
                    "its own phase; drawn from the seed"}),
          of_array({"rows",
                    "exclusive: a write keeps its rows to itself, and begins when all of its reads have ended; shared: "
                    "no request waits for a row, and each disk is written when the reads for its own writes have "
                    "ended, which keeps no parity right and is for comparisons with a simulator that does so"}),
          {"queue_order", "order in which a driver, which has one command at its disk, sends waiting requests", "", "",
           io::queue_order_names()},
          of_array({"join_gap",
                    "most sectors between two commands of one request to one disk that become one, read or written "
                    "along; 0 on drives that hold data",
                    "0", "1024"}),
          of_array({"failed", "numbers of disks that have failed"}),
          Param{"corrections",
                "most unreadable units of a disk that are computed from the others and written again: with one more it "
                "counts as failed",
                "0", "1000000"}
              .used_unless("faults", "[]")};
}

void check(const ArrayParams& array, const std::string& path, Problems& problems);

/// The array's geometry, for disks of `sectors` sectors; without an array, one unit. The parameters must have passed
/// check().
io::redundant::Geometry geometry_of(const ArrayParams& array, std::uint64_t sector_bytes, std::uint64_t sectors);
/// The rule for its parity, and for the copy of mirrored data to read.
io::redundant::Planner::Rule rule_of(const ArrayParams& array);
io::redundant::ReadCopy read_copy_of(const ArrayParams& array);
/// How many disks the array has.
std::uint32_t disks_of(const ArrayParams& array);

}  // namespace sunstar::disk_platform
