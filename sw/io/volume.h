// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sw/io/layouts/layout.h"

namespace sunstar::io {

/// The I/O processor to which a disk of the stripe is attached, and the disk's number among its block devices.
struct DiskPlace {
  std::uint32_t io_processor = 0;
  std::uint32_t device = 0;
};

/// A file as it lies on the disks.
struct StoredFile {
  std::uint64_t bytes = 0;
  std::vector<BlockAddresses> on_disk;  ///< by disk: first sector of each of the file's blocks there
};

/// Where the blocks of the files lie: every file is striped block by block over all disks.
class Volume {
 public:
  Volume(std::vector<DiskPlace> disks, std::uint32_t sector_bytes, std::uint32_t block_bytes)
      : disks_(std::move(disks)), sector_bytes_(sector_bytes), block_bytes_(block_bytes) {}

  void add(StoredFile file) { files_.push_back(std::move(file)); }

  std::uint32_t block_bytes() const { return block_bytes_; }
  std::uint32_t sector_bytes() const { return sector_bytes_; }
  std::uint32_t sectors_per_block() const { return block_bytes_ / sector_bytes_; }
  std::uint32_t disk_count() const { return static_cast<std::uint32_t>(disks_.size()); }
  Striping striping() const { return {disk_count(), block_bytes_}; }
  const std::vector<DiskPlace>& disks() const { return disks_; }

  std::uint32_t disk_of(std::uint64_t block) const { return striping().disk_of(block); }
  const DiskPlace& place_of(std::uint64_t block) const { return disks_[disk_of(block)]; }
  std::uint64_t sector_of(std::uint32_t file, std::uint64_t block) const {
    const Striping s = striping();
    return files_[file].on_disk[s.disk_of(block)][s.index_on_disk(block)];
  }

  std::size_t file_count() const { return files_.size(); }
  std::uint64_t file_bytes(std::uint32_t file) const { return files_[file].bytes; }
  std::uint64_t blocks(std::uint32_t file) const { return striping().blocks(files_[file].bytes); }
  /// Bytes of the file in one of its blocks; the last block may be short.
  std::uint32_t bytes_in_block(std::uint32_t file, std::uint64_t block) const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(block_bytes_, files_[file].bytes - block * block_bytes_));
  }

 private:
  std::vector<DiskPlace> disks_;
  std::uint32_t sector_bytes_, block_bytes_;
  std::vector<StoredFile> files_;
};

}  // namespace sunstar::io
