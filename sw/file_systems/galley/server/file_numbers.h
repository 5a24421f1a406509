// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>

#include "sw/io/volume.h"
#include "sw/requests/access.h"

namespace sunstar::file_systems::galley {

/// Tells which of a workload's files a file on disk is, if a processor has opened it: the simulation knows this, no
/// server does. It turns the lost bytes of a fork into a part of such a file.
class FileNumbers {
 public:
  struct File {
    std::uint32_t number = 0;
    std::uint64_t bytes = 0;  ///< at the end of a run without failures
  };
  void opened(std::uint64_t id, const File& file) { files_[id] = file; }
  std::optional<std::uint64_t> id_of(std::uint32_t number) const {
    for (const auto& [id, file] : files_)
      if (file.number == number) return id;
    return std::nullopt;
  }
  std::optional<File> find(std::uint64_t id) const {
    const auto found = files_.find(id);
    if (found == files_.end()) return std::nullopt;
    return found->second;
  }

  /// A call has failed because a disk or a node has. Its effect is missing, so later calls may fail with errors that
  /// would otherwise be the program's mistakes.
  void call_failed() { call_failed_ = true; }
  bool has_call_failed() const { return call_failed_; }

 private:
  boost::unordered_flat_map<std::uint64_t, File> files_;  // by id
  bool call_failed_ = false;
};

/// Calls visit(Failed) for the parts of a workload's file that are [offset, offset + bytes) of its fork on a disk. The
/// file is to have `all` bytes, and its subfile i lies on disk i.
template <class Visit>
void for_each_part_of_file(const io::Volume& volume, std::uint64_t all, requests::Failed failed, std::uint32_t disk,
                           std::uint64_t offset, std::uint64_t bytes, Visit visit) {
  const std::uint64_t unit = volume.block_bytes();
  for (const std::uint64_t end = offset + bytes; offset < end;) {
    const std::uint64_t some = std::min(end, (offset / unit + 1) * unit) - offset;
    failed.offset = (offset / unit * volume.units() + disk) * unit + offset % unit;
    if (failed.offset >= all) return;
    failed.bytes = std::min(some, all - failed.offset);
    visit(failed);
    offset += some;
  }
}

}  // namespace sunstar::file_systems::galley
