// SPDX-License-Identifier: MIT
#include "platforms/machine/report/excuses.h"

namespace sunstar::machine {

Excuses::Excuses(io::Store& store, const io::Volume& volume, const workload::RunRecord& record,
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

// A report may name more than was lost, so the next sector is looked at by itself.
std::uint64_t Excuses::within(const Ranges& ranges, std::uint64_t offset, std::uint64_t most) const {
  const auto found = ranges.find(offset);
  if (found == ranges.end()) return 0;
  return std::min(
      {most, found->upper() - offset, std::uint64_t{volume_.sector_bytes()} - offset % volume_.sector_bytes()});
}

std::uint64_t Excuses::by_device(std::uint32_t file, std::uint64_t offset, std::uint64_t most) {
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

std::uint64_t Excuses::in_memory(std::uint32_t file, std::uint64_t offset, std::uint64_t most) {
  if (const std::uint64_t n = within(unread_[file], offset, most)) {
    excused_.reported += n;
    return n;
  }
  return by_device(file, offset, most);
}

std::uint64_t Excuses::on_medium(std::uint32_t file, std::uint64_t offset, std::uint64_t most, bool old) {
  if (const std::uint64_t n = within(unwritten_[file], offset, most)) {
    excused_.reported += n;
    return n;
  }
  if (old && within(lost_[file], offset, 1)) return 1;
  return by_device(file, offset, most);
}

}  // namespace sunstar::machine
