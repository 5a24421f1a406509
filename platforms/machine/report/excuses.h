// SPDX-License-Identifier: MIT
#pragma once
#include <boost/icl/interval_set.hpp>
#include <cstdint>
#include <vector>

#include "sw/file_systems/losses.h"
#include "sw/io/volume.h"
#include "sw/workload/run_record.h"

namespace sunstar::machine {

/// How many bytes are not as the applications wanted them, by excuse.
struct Excused {
  std::uint64_t unread = 0, unwritten = 0;  ///< bytes of files, reported as failed; not all of them are wrong
  std::uint64_t reported = 0;               ///< reported as lost
  std::uint64_t with_power = 0;             ///< a drive had reported them as written, and lost its power
  std::uint64_t silent = 0;                 ///< a device, or an interface without a check, passed them as good
  std::uint64_t wrong() const { return reported + with_power + silent; }
};

/// Excuses for bytes that are wrong at the end of a run: their loss was reported, or a device gave or stored wrong
/// bytes as good. A wrong byte without an excuse is an error of the software.
class Excuses {
 public:
  Excuses(io::Store& store, const io::Volume& volume, const workload::RunRecord& record,
          const file_systems::Losses& losses, bool spoilt);

  /// A byte of a file is wrong in a buffer, or on the medium; `old`: it is of the version before. Returns how many
  /// bytes from there on are excused, at most `most`; 0: none.
  std::uint64_t in_memory(std::uint32_t file, std::uint64_t offset, std::uint64_t most);
  std::uint64_t on_medium(std::uint32_t file, std::uint64_t offset, std::uint64_t most, bool old);
  /// The same for one byte without another excuse, whose bits are all wrong: a spoilt message may have been passed on.
  std::uint64_t in_message(bool every_bit_wrong) {
    const bool one = spoilt_ && every_bit_wrong;
    excused_.silent += one;
    return one;
  }
  /// Whether the file's records in a buffer cannot be checked: some could not be read, or may be spoilt.
  bool unknown(std::uint32_t file) const { return spoilt_ || !unread_[file].empty(); }

  const Excused& excused() const { return excused_; }

 private:
  using Ranges = boost::icl::interval_set<std::uint64_t>;
  std::uint64_t within(const Ranges& ranges, std::uint64_t offset, std::uint64_t most) const;
  std::uint64_t by_device(std::uint32_t file, std::uint64_t offset, std::uint64_t most);

  io::Store& store_;
  const io::Volume& volume_;
  const bool spoilt_;
  std::vector<Ranges> unread_, unwritten_, lost_;  // by file
  Excused excused_;
};

}  // namespace sunstar::machine
