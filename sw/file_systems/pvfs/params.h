// SPDX-License-Identifier: MIT
#pragma once
#include "sw/file_systems/capabilities.h"
#include "sw/file_systems/pvfs/protocol/params.h"

namespace sunstar::file_systems::pvfs {

std::unique_ptr<FileSystem> make(const Params& params, Run& run);
std::uint64_t memory(const Params& params, const Sizes& sizes);

}  // namespace sunstar::file_systems::pvfs
