// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <map>
#include <vector>

#include "sw/file_systems/galley/on_disk/form.h"

namespace sunstar::file_systems::galley {

/// The bytes of all blocks of a disk that hold metadata, by block number. Without the data of forks, without free
/// blocks, and without bitmap blocks that mark nothing used, which are zeros like all that nobody has written.
using DiskImage = std::map<BlockNumber, std::vector<std::byte>>;

/// What the disks of a file system hold when it begins with these files, whose ids are 1, 2, ... in their order. An
/// index block is the first free block behind the first data block that it lists. Throws ConfigError if a Form is
/// impossible; a name is, or occurs twice; a file has no subfile, or more than there are disks; a fork is too large; a
/// table is full, or a disk. The first disks must be below the number of disks, and the data blocks on their disk and
/// all different.
std::vector<DiskImage> make_images(const std::vector<Form>& disks, const std::vector<FileOnDisks>& files);

}  // namespace sunstar::file_systems::galley
