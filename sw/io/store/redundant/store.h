// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <memory>
#include <string_view>

#include "models/core/param.h"
#include "models/core/quantity.h"
#include "sw/io/store/redundant/copy_choice.h"
#include "sw/io/store/store.h"

// The policy for rebuilding a failed drive on a spare.
// Kinds of stores with redundancy, each over the drives of one I/O processor, or over one drive of each (`across`). A
// unit is one drive's data without checks (array.h), so files still go round all drives: RAID 5 and 6 and declustered
// parity have as many units as drives (less spares), RAID 4 one less at each I/O processor, mirrors half as many. Each
// block is on one drive, so a file system's write of a block is a small write; waiting writes of one row are carried
// out together. All I/O processors must have the drives that the kind needs.
//
// A spare takes the place of a failed drive. The whole drive is rebuilt, used by files or not, as in md.
namespace sunstar::io::redundant {

BOOST_DEFINE_ENUM_CLASS(Rebuild,
                        off,         ///< never: the array goes on without the drive
                        md_throttle  ///< as Linux 2.4's md
)

/// The throttle of Linux 2.4 (md.c, md_do_sync): below the least rate a rebuild is never held back; above the most it
/// always is; in between, while the array has had other requests since the last look. The rate is averaged over the
/// last 30 s, looked up every 3 s, and counts a second more than has passed.
class Throttle {
 public:
  /// The rates are of bytes written to the spare.
  Throttle(Bandwidth least, Bandwidth most, Time start) : least_(least), most_(most), marks_{{start, 0}} {}
  static constexpr Duration pause = std::chrono::milliseconds{250};

  /// Whether the rebuild must pause. `bytes`: rebuilt so far; `idle`: whether the array has had no other requests.
  bool holds(Time now, std::uint64_t bytes, bool idle) {
    if (now - marks_.back().at >= std::chrono::seconds{3}) {
      marks_.push_back({now, bytes});
      if (marks_.size() > 10) marks_.pop_front();
    }
    const double rate = static_cast<double>(bytes - marks_.front().bytes) / (seconds(now - marks_.front().at) + 1);
    if (rate <= least_.bytes_per_second) return false;
    return rate > most_.bytes_per_second || !idle;
  }

 private:
  struct Mark {
    Time at;
    std::uint64_t bytes;
  };
  const Bandwidth least_, most_;
  std::deque<Mark> marks_;
};

BOOST_DEFINE_ENUM_CLASS(Across,
                        drives,        ///< the drives of one I/O processor
                        io_processors  ///< one drive of each: drive n of an array is at the I/O processor n
)

struct Common {
  Across across = Across::drives;
  Bytes stripe_unit{32 << 10};
  std::vector<std::uint32_t> failed;
  std::uint32_t corrections = 20;
  std::uint32_t spares = 0;
  Rebuild rebuild = Rebuild::md_throttle;
  Bandwidth rebuild_least{100 * 1024};
  Bandwidth rebuild_most{100'000 * 1024};
  bool finish_rebuild = false;
  Duration scrub_period{};
  bool scrub_repairs = false;
};
BOOST_DESCRIBE_STRUCT(Common, (),
                      (across, stripe_unit, failed, corrections, spares, rebuild, rebuild_least, rebuild_most,
                       finish_rebuild, scrub_period, scrub_repairs))
inline std::vector<Param> parameters(const Common*) {
  return {
      {"across",
       "whose drives make up an array: those of one I/O processor, or one of each I/O processor, with the same number, "
       "so that the array of drives 0 is served by the I/O processor 0, that of drives 1 by 1, and so on round; "
       "commands and data for drives of others travel as messages. Then each needs at least as many drives as there "
       "are I/O processors"},
      {"stripe_unit", "consecutive bytes on one drive, a multiple of its sectors", "512B", "1GiB"},
      {"failed", "numbers of drives that have failed from the start, at each I/O processor", Tuning::part},
      {"corrections",
       "most corrections of a drive's unreadable sectors, or losses of its power: with one more it counts as failed "
       "(MD_DEFAULT_MAX_CORRECTED_READ_ERRORS: 20)",
       "0", "1000000", Tuning::fixed},
      {"spares", "drives of each I/O processor, the last ones, that are kept empty to replace failed ones", "0", "16",
       Tuning::fixed},
      {"rebuild",
       "when a failed drive is rebuilt on a spare: off: never; md-throttle: at the least rate in any case, beyond it "
       "while the array has no requests, never beyond the most (Linux 2.4, md.c)",
       Tuning::fixed},
      Param{"rebuild_least", "rate, written to the spare, below which a rebuild is never held back (2.4: 100 KiB/s)",
            "1B/s", "1TB/s", Tuning::fixed}
          .used_if("rebuild", {"md-throttle"}),
      Param{"rebuild_most", "rate above which a rebuild is always held back (2.4: 100000 KiB/s)", "1B/s", "1TB/s",
            Tuning::fixed}
          .used_if("rebuild", {"md-throttle"}),
      Param{"finish_rebuild",
            "whether the run goes on after its own end until no drive is left to rebuild; its throughput does not "
            "count that time",
            Tuning::fixed}
          .used_unless("spares", "0"),
      {"scrub_period",
       "time from the start to the first scrub, and from the beginning of one to the next: all rows are read and their "
       "checks compared, at the rates of a rebuild and not during one; 0s: never",
       "0s", "1000000s", Tuning::fixed},
      Param{"scrub_repairs",
            "whether a scrub makes checks anew that differ from their data if it cannot tell which are wrong (md: "
            "repair), rather than only counts them (md: check). raid6 can tell, and mends, if one drive is wrong",
            Tuning::fixed}
          .used_unless("scrub_period", "0s")};
}

struct Mirror : Common {
  static constexpr std::string_view kind = "mirror";
  static constexpr std::string_view help = "a unit is a pair of drives, or more, that hold the same";
  std::uint32_t copies = 2;
  ReadCopy read_copy = ReadCopy::shortest_queue_then_nearest;
};
BOOST_DESCRIBE_STRUCT(Mirror, (Common), (copies, read_copy))
inline std::vector<Param> parameters(const Mirror*) {
  return {
      {"copies", "copies of everything; the drives of each I/O processor must be a multiple", "2", "8", Tuning::fixed},
      {"read_copy",
       "which copy is read: the first, any, in turn, the one nearest the last command's first sector, the one with the "
       "fewest commands at its drive, or of those the nearest; of equals, any"}};
}

/// How parity is kept up to date.
struct Parity : Common {
  std::uint32_t reconstruct_from = 0;
  Duration plug{};
  bool tell_rows = true;
};
BOOST_DESCRIBE_STRUCT(Parity, (Common), (reconstruct_from, plug, tell_rows))
inline std::vector<Param> parameters(const Parity*) {
  return {
      {"reconstruct_from",
       "a write to this many drives of a row or more reads the others and computes parity anew; to fewer, it reads the "
       "old data and parity. 0: the one that reads less; of equals, the second",
       "0", "1024"},
      {"plug", "how long a write waits for others to the same row, unless they fill it; 0s: not at all", "0s", "10s"},
      {"tell_rows",
       "whether file systems learn which blocks share a row: with a list of blocks, they write all blocks of a row "
       "together, and read them together if a drive is missing"}};
}

struct Raid4 : Parity {
  static constexpr std::string_view kind = "raid4";
  static constexpr std::string_view help =
      "each drive of an I/O processor but the last is a unit; the last holds parity";
};
BOOST_DESCRIBE_STRUCT(Raid4, (Parity), ())

struct Raid5 : Parity {
  static constexpr std::string_view kind = "raid5";
  static constexpr std::string_view help =
      "each drive is a unit, less the sectors where it holds parity for the others";
  Rotation layout = Rotation::left_symmetric;
};
BOOST_DESCRIBE_STRUCT(Raid5, (Parity), (layout))
inline std::vector<Param> parameters(const Raid5*) {
  return {{"layout",
           "left: parity moves from the last drive to the first, right: from the first to the last; symmetric: a row's "
           "data begin behind its parity, asymmetric: on the first drive"}};
}

struct Raid6 : Parity {
  static constexpr std::string_view kind = "raid6";
  static constexpr std::string_view help = "as raid5 with two checks: two drives of each I/O processor may fail";
  Rotation layout = Rotation::left_symmetric;
};
BOOST_DESCRIBE_STRUCT(Raid6, (Parity), (layout))
inline std::vector<Param> parameters(const Raid6*) {
  return {{"layout", "as of raid5; the second check follows the first"}};
}

struct ParityDeclustered : Parity {
  static constexpr std::string_view kind = "parity-declustered";
  static constexpr std::string_view help =
      "as raid5, but parity is of a group of the drives, by a block design: a failure burdens the others less";
  std::uint32_t group = 4;
};
BOOST_DESCRIBE_STRUCT(ParityDeclustered, (Parity), (group))
inline std::vector<Param> parameters(const ParityDeclustered*) {
  return {{"group", "drives of a row, parity included", "2", "64"}};
}

/// Each throws a ConfigError if an I/O processor does not have the drives for it.
std::unique_ptr<Store> make(const Mirror& params, std::vector<Drive> drives);
std::unique_ptr<Store> make(const Raid4& params, std::vector<Drive> drives);
std::unique_ptr<Store> make(const Raid5& params, std::vector<Drive> drives);
std::unique_ptr<Store> make(const Raid6& params, std::vector<Drive> drives);
std::unique_ptr<Store> make(const ParityDeclustered& params, std::vector<Drive> drives);

std::uint64_t memory(const Common& params, std::uint64_t drives, std::uint64_t requests, std::uint64_t block_bytes);

}  // namespace sunstar::io::redundant
