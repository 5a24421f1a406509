// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "platforms/machine/machine.h"
#include "sw/registry/file_systems.h"
#include "sw/workload/job.h"

// What lies where before a run begins.
namespace sunstar::machine {

/// Lays the workload's files out on the machine's disks; `seed` drives the layouts. Throws ConfigError for what does
/// not fit.
io::Volume place_files(const workload::Workload& workload, Machine& machine,
                       const file_systems::FileSystemParams& params, std::uint64_t seed);

/// Puts the content of every file as it is before the run on its disks.
void fill_media(Machine& machine, const io::Volume& volume);

/// Puts what each processor will write into its buffer.
void fill_memories(const workload::Job& job);

}  // namespace sunstar::machine
