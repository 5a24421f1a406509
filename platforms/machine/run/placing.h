// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <cstdint>

#include "sw/io/volume.h"
#include "sw/registry/file_systems.h"
#include "sw/workload/job.h"

// Puts files and buffers in place before a run begins.
namespace sunstar::machine {

/// The contents of files: descriptions of their bytes' origin (models/core/content), or bytes.
BOOST_DEFINE_FIXED_ENUM_CLASS(Data, std::uint8_t, described, bytes)

/// Lays the workload's files out on the store; `seed` drives the layouts. Throws ConfigError if they do not fit.
io::Volume place_files(const workload::Workload& workload, io::Store& store,
                       const file_systems::FileSystemParams& params, std::uint64_t seed);

/// Writes the content that every file has before the run to the store.
void fill_media(io::Store& store, const io::Volume& volume, Data data);

/// Fills each processor's buffer with the bytes that the processor will write.
void fill_memories(const workload::Job& job, Data data);

}  // namespace sunstar::machine
