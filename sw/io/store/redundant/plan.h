// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <functional>
#include <set>
#include <span>
#include <utility>

#include "sw/io/store/redundant/geometry.h"

// An array's plan for one request: the commands to its disks, their order, and the computations between them. The plan
// is made without time and without data, so that firmware and an observer of the media carry out the same plan.
namespace sunstar::io::redundant {

/// Memory of a plan, counted in sectors: of the request's own data, or of a buffer that the plan needs beside them.
struct Slice {
  bool own = false;  ///< in the request's data
  std::uint32_t sector = 0;
};

/// A summand of a computation: `sectors` at `from`, times `factor` (galois.h), for the result from its sector `at` on.
struct Term {
  Slice from;
  std::uint32_t at = 0, sectors = 0;
  std::uint8_t factor = 1;
};

/// A check as read from its disk, and as computed.
struct Compared {
  std::uint32_t member = 0;
  Slice found, expected;
};

/// A command to a disk, or a computation: sectors of `memory` become the sum of the terms, or 0 without terms.
struct Step {
  enum class Kind : std::uint8_t { read, write, compute };
  Kind kind = Kind::read;
  Extent at;     ///< place of a command; a computation has the sectors only
  Slice memory;  ///< read into, written from, or computed
  std::vector<Term> terms;
  std::vector<std::uint32_t> after;  ///< steps that must have ended, by number, less than this step's
};

struct RowCounts {
  std::uint64_t read_modify_write = 0, reconstruct = 0, full = 0, degraded = 0;
};
BOOST_DESCRIBE_STRUCT(RowCounts, (), (read_modify_write, reconstruct, full, degraded))

struct Plan {
  std::vector<Step> steps{};
  std::uint32_t buffer_sectors = 0;
  RowCounts rows{};
  std::uint64_t first_row = 0, last_row = 0;
  bool locks = false;                ///< the rows must be locked, so that their data and checks belong together
  bool lost = false;                 ///< too many disks have failed: there are no steps
  std::vector<Compared> compared{};  ///< of a plan to check a row, in whole units
};

struct Copy {
  std::uint32_t disk = 0;
  std::uint64_t sector = 0;
};
/// Chooses one of several copies, by number.
using ChooseCopy = std::function<std::size_t(std::span<const Copy>)>;

/// The condition for a row to count as full, so that its parity is computed without reading.
enum class FullRow {
  covered,  ///< the whole row is written
  touched,  ///< every unit is written at least in part. The parity is then wrong: for the comparison with a simulator
            ///< without data that does so
};
BOOST_DESCRIBE_ENUM(FullRow, covered, touched)

/// A request's part of one unit: `sectors` from `from` on, and their offset in the request's data.
struct Part {
  Member unit;
  std::uint32_t from = 0, sectors = 0, own = 0;
};

/// The parts of `sectors` sectors from `sector` on: they are cut where a unit, unit_at(sector), begins.
template <class UnitAt>
std::vector<Part> cut(const Geometry& geometry, std::uint64_t sector, std::uint32_t sectors, UnitAt unit_at) {
  std::vector<Part> found;
  for (std::uint32_t own = 0; own < sectors;) {
    const std::uint64_t at = sector + own;
    const auto from = static_cast<std::uint32_t>(at % geometry.unit_sectors());
    const std::uint32_t length = std::min(geometry.unit_sectors() - from, sectors - own);
    found.push_back({unit_at(at), from, length, own});
    own += length;
  }
  return found;
}

/// The disks of an array that can neither be read nor written. The rebuilt part of a disk, from its first sector on, is
/// usable on its spare. Units of a working disk may be bad: unreadable, or possibly stale.
struct Failures {
  Failures(std::vector<bool> disks = {}) : failed(std::move(disks)), rebuilt(failed.size(), 0) {}
  std::vector<bool> failed;            ///< by disk
  std::vector<std::uint64_t> rebuilt;  ///< by disk: sectors
  std::set<Extent> bad;                ///< whole units
  /// Whether the unit is on a failed disk, and not yet on its spare.
  bool gone(const Extent& unit) const { return failed[unit.disk] && unit.sector + unit.sectors > rebuilt[unit.disk]; }
  bool has(const Extent& unit) const { return gone(unit) || (!bad.empty() && bad.contains(unit)); }
};

class Planner {
 public:
  struct Rule {
    /// A write to fewer units of a row reads the old data and checks (read-modify-write); a write to this many or more
    /// reads the other units and computes the checks anew (reconstruct-write). 0: whichever reads less; of equals, the
    /// first.
    std::uint32_t reconstruct_from = 0;
    FullRow full_row = FullRow::covered;
  };

  /// The geometry must outlive the planner.
  Planner(const Geometry& geometry, Rule rule, ChooseCopy choose);

  /// For `sectors` (> 0) from `sector` of the array on, or for parts by row: a row's parts are adjacent. With two
  /// checks, two disks may fail.
  ///
  /// A write of a row: the checks change in the sectors written, if these are the same in each written unit, otherwise
  /// in the whole unit; two parts whose offsets neither overlap nor meet count as two rows. A write to a disk follows
  /// the request's reads of that disk, a write of a check all reads of the row. With failed disks:
  ///  - the failed unit holds a check: it is left out;
  ///  - it holds data that are not written: read-modify-write;
  ///  - it holds data, all written where they matter: the other units are read, the checks written;
  ///  - otherwise the rest of the row is read.
  /// A read of a failed unit reads the same sectors of all other units needed.
  Plan read(std::uint64_t sector, std::uint32_t sectors, const Failures& failures) const {
    return read(parts(sector, sectors), failures);
  }
  Plan write(std::uint64_t sector, std::uint32_t sectors, const Failures& failures) const {
    return write(parts(sector, sectors), failures);
  }
  Plan read(std::span<const Part> parts, const Failures& failures) const;
  Plan write(std::span<const Part> parts, const Failures& failures) const;
  /// Makes a row's whole unit on one disk from the others and writes it there, even if the disk is among `failures`.
  Plan rebuild(Member unit, const Failures& failures) const;
  /// Reads a whole row and computes its checks from the data, to be compared; lost if any unit has failed.
  Plan check(std::uint64_t row, const Failures& failures) const;

 private:
  std::vector<Part> parts(std::uint64_t sector, std::uint32_t sectors) const {
    return cut(geometry_, sector, sectors, [this](std::uint64_t at) { return geometry_.member_of(at); });
  }

  const Geometry& geometry_;
  Rule rule_;
  ChooseCopy choose_;
};

}  // namespace sunstar::io::redundant
