// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <vector>

#include "sw/io/nodes.h"
#include "sw/io/volume.h"
#include "sw/requests/recorder.h"

namespace sunstar::io {

/// Appends the blocks of files on writes that a store may have lost.
inline void add_lost(const std::vector<LostWrite>& lost, const IoNode& node, const Volume& volume,
                     std::vector<requests::Failed>& to) {
  if (lost.empty()) return;
  const os::NotOnTheMachine mark;
  for (std::uint32_t file = 0; file < volume.file_count(); ++file)
    for (std::uint64_t block = 0; block < volume.blocks(file); ++block) {
      const Place& place = volume.place_of(file, block);
      if (place.io_processor != node.number) continue;
      const std::uint64_t sector = volume.sector_of(file, block);
      const bool hit = std::ranges::any_of(lost, [&](const LostWrite& l) {
        return l.unit == place.unit && l.sector < sector + volume.sectors_per_block() && sector < l.sector + l.sectors;
      });
      if (hit)
        to.push_back({file, requests::Operation::write, block * volume.block_bytes(),
                      volume.bytes_in_block(file, block), hal::Status::not_ready});
    }
}

}  // namespace sunstar::io
