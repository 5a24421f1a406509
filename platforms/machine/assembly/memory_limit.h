// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>

#include "platforms/machine/assembly/params.h"

namespace sunstar::machine {

/// The least possible machine.costs.copy_per_byte: the instructions that the node with the fastest clock completes
/// while the node bus reads and writes a byte. A processor that copied faster would claim more of the bus than there
/// is, and DMA would wait ever longer.
inline double least_copy_per_byte(const node::NodeParams& node) {
  const double hertz = node.clock.hertz * (1 + node.clock_variation);
  return node.issue_width * 2 * hertz / node.memory_bandwidth.bytes_per_second;
}

/// The costs of the firmware's primitives, as the memory allows them.
inline os::Costs possible_costs(const MachineParams& machine) {
  os::Costs costs = machine.costs;
  costs.copy_per_byte.count = std::max(costs.copy_per_byte.count, least_copy_per_byte(machine.node));
  return costs;
}

}  // namespace sunstar::machine
