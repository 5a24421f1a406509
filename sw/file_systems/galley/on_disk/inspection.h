// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sw/file_systems/galley/on_disk/form.h"

namespace sunstar::file_systems::galley {

/// A disk to inspect, and how to read a block of it: a reader fills form.block_bytes.
struct InspectedDisk {
  Form form;
  std::function<void(std::uint64_t block, std::span<std::byte>)> read;
};

struct Inspection {
  std::vector<FileOnDisks> files;               ///< in order of their ids; forks in order of their entries
  std::vector<std::set<BlockNumber>> metadata;  ///< by disk: superblock, bitmap, table and index blocks
  std::vector<std::string> findings;            ///< what is wrong, in finished sentences; empty if all is well
};

/// Reads all metadata of a file system and says what does not fit together, as fsck does for Unix: a superblock or an
/// entry that is damaged or impossible; a file's or a fork's entry on a disk where it does not belong; two of one name
/// or id; a fork of no file; blocks of a fork that are not on the disk, used twice, free in the bitmap, missing for its
/// size or beyond it; blocks that are marked used but that nothing uses.
///
/// It goes by the Forms given, not by those in the superblocks. Where damage hides what else is used or named, it does
/// not call that lost: one damaged entry is one finding. The Forms must be possible (Form::check()).
Inspection inspect(const std::vector<InspectedDisk>& disks);

}  // namespace sunstar::file_systems::galley
