// SPDX-License-Identifier: MIT
#pragma once
#include <memory>

#include "sw/file_systems/file_system.h"

namespace sunstar::file_systems::messages_only {

/// The software of a run whose applications exchange messages and use no file (Workload::exchange): no node is a
/// server, and no time is spent on one.
std::unique_ptr<FileSystem> make(Run& run);

}  // namespace sunstar::file_systems::messages_only
