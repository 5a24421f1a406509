// SPDX-License-Identifier: MIT
#pragma once
#include <boost/icl/interval_set.hpp>
#include <cstdint>
#include <vector>

#include "sw/file_systems/file_system.h"
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
          const file_systems::Losses& losses, bool spoilt)
      : store_(store),
        volume_(volume),
        spoilt_(spoilt),
        unread_(volume.file_count()),
        unwritten_(volume.file_count()),
        lost_(volume.file_count()) {
    const auto run = [](std::uint64_t offset, std::uint64_t bytes) {
      return Ranges::interval_type::right_open(offset, offset + bytes);
    };
    for (const requests::Failed& failed : record.failures())
      (failed.operation == requests::Operation::read ? unread_ : unwritten_)[failed.file].add(
          run(failed.offset, failed.bytes));
    for (const Ranges& file : unread_) excused_.unread += boost::icl::length(file);
    for (const Ranges& file : unwritten_) excused_.unwritten += boost::icl::length(file);
    for (const auto& range : losses.ranges) lost_[range.file].add(run(range.offset, range.bytes));
  }

  /// A byte of a file is wrong in a buffer, or on the medium; `old`: it is of the version before. Returns how many
  /// bytes from there on are excused, at most `most`; 0: none.
  std::uint64_t in_memory(std::uint32_t file, std::uint64_t offset, std::uint64_t most) {
    if (const std::uint64_t n = within(unread_[file], offset, most)) {
      excused_.reported += n;
      return n;
    }
    return by_device(file, offset, most);
  }

  std::uint64_t on_medium(std::uint32_t file, std::uint64_t offset, std::uint64_t most, bool old) {
    if (const std::uint64_t n = within(unwritten_[file], offset, most)) {
      excused_.reported += n;
      return n;
    }
    if (old && within(lost_[file], offset, 1)) return 1;
    return by_device(file, offset, most);
  }

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

  // A report may name more than was lost, so the next sector is looked at by itself.
  std::uint64_t within(const Ranges& ranges, std::uint64_t offset, std::uint64_t most) const {
    const auto found = ranges.find(offset);
    if (found == ranges.end()) return 0;
    return std::min(
        {most, found->upper() - offset, std::uint64_t{volume_.sector_bytes()} - offset % volume_.sector_bytes()});
  }

  std::uint64_t by_device(std::uint32_t file, std::uint64_t offset, std::uint64_t most) {
    const std::uint64_t block = offset / volume_.block_bytes(), in_block = offset % volume_.block_bytes();
    most = std::min(most, volume_.block_bytes() - in_block);
    const std::uint64_t at = volume_.sector_of(file, block) * volume_.sector_bytes() + in_block;
    const io::RawDisk& unit = store_.raw(volume_.unit_of(file, block));
    if (const std::uint64_t n = std::min(most, unit.lost_with_power(at))) {
      excused_.with_power += n;
      return n;
    }
    // Wrong bytes may have been read, and written back with other bytes of their block.
    const std::uint64_t wrong = std::max({unit.silently_wrong(at), unit.delivered_wrong(at), unit.once_wrong(at)});
    const std::uint64_t n = std::min(most, wrong);
    excused_.silent += n;
    return n;
  }

  io::Store& store_;
  const io::Volume& volume_;
  const bool spoilt_;
  std::vector<Ranges> unread_, unwritten_, lost_;  // by file
  Excused excused_;
};

struct Verdict {
  std::uint64_t bytes = 0;      ///< checked in buffers, in files that the run writes, and on arrival
  std::uint64_t compared = 0;   ///< bytes that were made from descriptions and compared, besides
  std::uint64_t unchecked = 0;  ///< read by processors that stopped, whose memory is gone
  Excused excused;              ///< bytes that are not as the applications wanted them
};

/// `placed` says where the files lay before the run; a file system with structures of its own on the store tells by
/// them where the files lie now. Checks that all units of the workload have been carried out, and checks every byte of
/// the buffers that the workload's oracle names and every byte of the media: those of files, written or not, and those
/// of no file, which must be as before the run. Excused bytes count as right; `spoilt`: messages were
/// passed on with a wrong byte. A stopped processor's buffer is not looked at. It compares descriptions of described
/// content and, of a sample drawn by `seed`, also the bytes. Throws SimulationError that names the first wrong byte, or
/// the missing units.
Verdict verify(io::Store& store, const io::Volume& placed, const workload::Job& job,
               const file_systems::FileSystem& file_system, std::uint64_t seed, bool nodes_stopped = false,
               bool spoilt = false);

}  // namespace sunstar::machine
