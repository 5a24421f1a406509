// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "sw/file_systems/striped/runs.h"

// A file is striped over the store of all data nodes (section 3.1). An iod finds its part of a request by itself.
namespace sunstar::file_systems::pvfs {

using striped::FileRun;

/// The I/O processors that hold a part of the run, each once, in the order in which the run meets them.
inline std::vector<std::uint32_t> data_nodes_of(const io::Volume& volume, const FileRun& run) {
  std::vector<std::uint32_t> found;
  const std::uint64_t first = run.offset / volume.block_bytes();
  const std::uint64_t last = run.bytes == 0 ? first : (run.offset + run.bytes - 1) / volume.block_bytes() + 1;
  // The units repeat after one round.
  for (std::uint64_t s = first; s < std::min(last, first + volume.units()); ++s) {
    const std::uint32_t node = volume.server_of(s);
    if (std::ranges::find(found, node) == found.end()) found.push_back(node);
  }
  return found;
}

}  // namespace sunstar::file_systems::pvfs
