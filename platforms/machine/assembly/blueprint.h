// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "models/core/problems.h"
#include "models/kernel/timetable.h"
#include "models/network/fabric.h"
#include "models/network/places.h"
#include "platforms/kit/json_text.h"
#include "platforms/machine/assembly/params.h"

namespace sunstar::machine {

/// Makes the fabric of a machine, which shares the timetable of all nodes.
using MakeFabric = std::function<std::unique_ptr<network::Fabric>(const sc_core::sc_module_name& name,
                                                                  std::uint64_t seed, Timetable& timetable)>;

/// A machine in full: nodes with roles and places, buses and drives. It is made once from a configuration.
/// --print-config prints it, and assembly sees nothing else of the configuration.
struct Blueprint {
  /// `nodes` lists every node by itself, with its place and every bus by itself, and the counts agree with it. Compute
  /// processors keep their order, as do I/O processors; a node that is both counts as both.
  MachineParams machine;
  std::vector<std::uint32_t> ports;  ///< of the nodes
  network::Places places;
  MakeFabric make_fabric;

  std::uint32_t disks_of_node() const;
};

/// The number of nodes that the list or the counts stand for, limited to the most that a machine can have.
std::uint64_t node_count(const MachineParams& machine);

/// Draws the blueprint: writes out a list of nodes, or the counts (compute processors, then I/O processors with a bus
/// and their share of the drives each), and gives places to nodes that name none. `seed` drives a
/// random placement. Adds what is impossible to `problems`, with paths below `path`.
Blueprint draw(const MachineParams& machine, network::Places places, MakeFabric make_fabric, std::uint64_t seed,
               const std::string& path, Problems& problems);

/// The machine's parts, for pictures and prices, by the names that statistics and waves use:
///   nodes    {name, role, place, port, processor, hertz, memory_bus, memory_bytes_per_s}
///   buses    {name, node, bytes_per_s}
///   drives   {name, bus, type}
///   network  see kit/structure/network.h
/// Builds the machine. `fabric` is the kind of fabric.
kit::json::object structure(const Blueprint& blueprint, std::string_view fabric);

}  // namespace sunstar::machine
