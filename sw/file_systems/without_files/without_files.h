// SPDX-License-Identifier: MIT
#pragma once
#include <memory>

#include "sw/file_systems/file_system.h"

// The software of runs that need no file system: no node is a server, and no time is spent on one.
namespace sunstar::file_systems {

/// Applications exchange messages and use no file (Workload::exchange).
std::unique_ptr<FileSystem> messages_only(Run& run);

/// Workload::Streams: each source sends its messages from one buffer to the sinks in turn, source s first to sink s;
/// each sink takes arrived messages into its buffer.
std::unique_ptr<FileSystem> streams(Run& run);

}  // namespace sunstar::file_systems
