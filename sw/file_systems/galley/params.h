// SPDX-License-Identifier: MIT
#pragma once
#include "sw/file_systems/capabilities.h"
#include "sw/file_systems/galley/protocol/params.h"

namespace sunstar::file_systems::galley {

std::unique_ptr<FileSystem> make(const Params& params, Run& run);
std::uint64_t memory(const Params& params, const Sizes& sizes);
/// Sectors at the beginning of a disk that are not for files.
std::uint64_t reserved_sectors(const Params& params, std::uint64_t sectors, std::uint64_t sector_bytes,
                               std::uint32_t block_bytes);

}  // namespace sunstar::file_systems::galley
