// SPDX-License-Identifier: MIT
#pragma once
#include <memory>

#include "sw/file_systems/file_system.h"

namespace sunstar::file_systems::streams {

/// The software of a workload that needs no file system (workload::Streams). Each source sends its messages from one
/// buffer to the sinks in turn, source s first to sink s; each sink takes arrived messages into its buffer.
std::unique_ptr<FileSystem> make(Run& run);

}  // namespace sunstar::file_systems::streams
