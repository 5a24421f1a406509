// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

namespace sunstar::file {

/// A file is striped block by block over all disks: file block b lies on disk b mod disks, as that disk's block
/// b / disks of the file.
struct Striping {
  std::uint32_t disks = 1;
  std::uint32_t block_bytes = 8192;
  std::uint32_t disk_of(std::uint64_t file_block) const { return static_cast<std::uint32_t>(file_block % disks); }
  std::uint64_t index_on_disk(std::uint64_t file_block) const { return file_block / disks; }
};

/// What a layout policy needs to know of a disk.
struct DiskShape {
  std::uint64_t sectors = 0;            ///< user capacity
  std::uint32_t sector_bytes = 512;
  std::uint32_t sectors_per_track = 72;  ///< of the outermost zone, for layouts that speak of tracks
};

/// Where the blocks of a file lie on one disk: the first sector (logical block number) of each.
using BlockAddresses = std::vector<std::uint64_t>;

}  // namespace sunstar::file
