// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <map>
#include <set>

#include "sw/file_systems/galley/on_disk/form.h"

namespace sunstar::file_systems::galley {

/// The bytes of all blocks of a disk that hold metadata, by block number. Without the data of forks, without free
/// blocks, and without bitmap blocks that mark nothing used, which are zeros like unwritten blocks.
using DiskImage = std::map<BlockNumber, std::vector<std::byte>>;

/// What the disks of a file system hold when it begins with these files, whose ids are 1, 2, ... in their order. An
/// index block is the first free block behind the first data block that it lists. Throws ConfigError if a Form is
/// impossible; a name is, or occurs twice; a file has no subfile, or more than there are disks; a fork is too large; a
/// table is full, or a disk. The first disks must be below the number of disks, and the data blocks on their disk and
/// all different.
std::vector<DiskImage> make_images(const std::vector<Form>& disks, const std::vector<FileOnDisks>& files);

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
/// It goes by the Forms given, not by those in the superblocks. It calls nothing lost that damage may hide: one damaged
/// entry is one finding. The Forms must be possible (Form::check()).
Inspection inspect(const std::vector<InspectedDisk>& disks);

}  // namespace sunstar::file_systems::galley
