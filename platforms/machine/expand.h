// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "platforms/torus/config.h"

namespace sunstar::machine {

/// The machine node by node: compute processors, then I/O processors with their buses and drives, each with its place.
/// A list of nodes in the configuration is completed, counts are expanded to one. What cannot be is added to
/// `problems`.
std::vector<NodeSpec> expand(const MachineParams& machine, std::uint64_t seed, const std::string& path,
                             Problems& problems);

/// Adds to `problems` what cannot be of the machine's nodes, their places and their counts.
void check_nodes(const MachineParams& machine, const std::string& path, Problems& problems);

/// The same machine, written out: `nodes` filled in and the counts in agreement with it.
MachineParams expanded(const MachineParams& machine, std::uint64_t seed);

}  // namespace sunstar::machine
