// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "sw/file_systems/file_system.h"
#include "sw/file_systems/pvfs/protocol/port.h"
#include "sw/file_systems/pvfs/protocol/striping.h"

namespace sunstar::file_systems::pvfs {

/// Writes a run straight to the iods, whether a process or its node's cache does so: a request to each, with `flags` of
/// a Request, the data behind it, and their acknowledgements.
os::Task<> write_through(System& system, const Messages& messages, Port& port, const FileRange& run, std::byte* memory,
                         std::uint32_t flags);

}  // namespace sunstar::file_systems::pvfs
