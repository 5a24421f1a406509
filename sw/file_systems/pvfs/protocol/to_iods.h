// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "sw/file_systems/pvfs/protocol/port.h"
#include "sw/file_systems/pvfs/protocol/striping.h"
#include "sw/file_systems/system.h"

// What a process, or its node's cache module, asks of the iods.
namespace sunstar::file_systems::pvfs {

/// Sends a request with `flags` to each iod that has a part of the run. `number` names its data.
os::Task<> ask_iods(System& system, const Messages& messages, Port& port, const FileRange& run, std::uint32_t number,
                    std::uint32_t flags, messages::ReplyAction& acknowledgements);

/// Writes a run straight to the iods: a request with `flags` to each, the data behind it, and their acknowledgements.
/// Returns an error if an iod could not write all of its part.
os::Task<hal::Status> write_through(System& system, const Messages& messages, Port& port, const FileRange& run,
                                    std::byte* memory, std::uint32_t flags);

}  // namespace sunstar::file_systems::pvfs
