// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sw/file_systems/galley/on_disk/form.h"

namespace sunstar::file_systems::galley {

/// A fork as it lies on the disk of its subfile.
struct ForkOnDisk {
  std::string name;
  std::uint64_t bytes = 0;
  std::vector<BlockNumber> blocks;  ///< its data blocks in order, as many as the bytes need; 0 is a hole
  bool operator==(const ForkOnDisk&) const = default;
};

using SubfileOnDisk = std::vector<ForkOnDisk>;

/// A file as it lies on the disks.
struct FileOnDisks {
  std::string name;
  std::uint32_t first_disk = 0;         ///< subfile i lies on disk (first_disk + i) mod disks
  std::vector<SubfileOnDisk> subfiles;  ///< 1 to the number of disks
  bool operator==(const FileOnDisks&) const = default;
};

}  // namespace sunstar::file_systems::galley
