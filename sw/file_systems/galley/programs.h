// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <memory>

#include "sw/file_systems/galley/gfs/gfs.h"
#include "sw/file_systems/galley/protocol/params.h"

// Galley for programs of your own, as tests have them.
namespace sunstar::file_systems::galley {

/// What a compute processor does, instead of the calls of a workload. It is a coroutine, called once on each processor.
using Program = std::function<os::Task<>(Gfs& gfs, std::uint32_t processor)>;

/// Galley whose compute processors run `program`. The run ends with gfs_sync() when all of them have returned; the
/// first request of the run is the start.
std::unique_ptr<FileSystem> make(const Params& params, Run& run, Program program);

}  // namespace sunstar::file_systems::galley
