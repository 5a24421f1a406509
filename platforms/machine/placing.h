// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

#include "platforms/machine/machine.h"
#include "sw/registry/file_systems.h"
#include "sw/workload/job.h"

// Puts files and buffers in place before a run begins.
namespace sunstar::machine {

/// Lays the workload's files out on the machine's disks; `seed` drives the layouts. Throws ConfigError if they do not
/// fit.
io::Volume place_files(const workload::Workload& workload, Machine& machine,
                       const file_systems::FileSystemParams& params, std::uint64_t seed);

/// Writes the content that every file has before the run to its disks.
void fill_media(Machine& machine, const io::Volume& volume);

/// The disks in the order of the stripe, without time.
std::vector<file_systems::RawDisk> raw_disks(Machine& machine);

/// Fills each processor's buffer with what the processor will write.
void fill_memories(const workload::Job& job);

}  // namespace sunstar::machine
