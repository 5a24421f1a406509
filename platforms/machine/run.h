// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <memory>

#include "platforms/torus/experiment.h"
#include "sw/file_systems/file_system.h"
#include "sw/workload/workload.h"

namespace sunstar::machine {

std::unique_ptr<workload::Workload> make_workload(const Config& config);

/// One trial in this process: builds the machine, lays out and fills the files, runs, checks every byte. Throws
/// ConfigError, or SimulationError for a deadlock, wrong bytes, lost requests, or monitors on the sockets that have
/// seen other bytes than are reported. `trial` is added to the seed. `create` makes the file system: the one that the
/// configuration names, but for tests.
using CreateFileSystem = std::function<std::unique_ptr<file_systems::FileSystem>(file_systems::System&)>;
json::object run_trial(const Config& config, std::uint32_t trial, const Watch& watch = {},
                       const CreateFileSystem& create = file_systems::FileSystem::create);

/// Builds the machine and lays out the files; throws what is wrong with them.
void check_machine(const Config& config);

}  // namespace sunstar::machine
