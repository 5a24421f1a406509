// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "sw/io/volume.h"

// A file is striped over the store of all data nodes (section 3.1). An iod finds its part of a request by itself.
namespace sunstar::file_systems::pvfs {

/// A run of a file's bytes.
struct FileRange {
  std::uint32_t file = 0;
  std::uint64_t offset = 0, bytes = 0;
};

/// Calls visit(stripe, first byte in the stripe, bytes) for each stripe that the run touches, in order.
template <class Visit>
void for_each_stripe(const io::Volume& volume, const FileRange& run, Visit visit) {
  const std::uint64_t size = volume.block_bytes(), end = run.offset + run.bytes;
  for (std::uint64_t at = run.offset; at < end;) {
    const std::uint64_t stripe = at / size, some = std::min(end, (stripe + 1) * size) - at;
    visit(stripe, static_cast<std::uint32_t>(at % size), static_cast<std::uint32_t>(some));
    at += some;
  }
}

/// The I/O processors that hold a part of the run, each once, in the order in which the run meets them.
inline std::vector<std::uint32_t> data_nodes_of(const io::Volume& volume, const FileRange& run) {
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
