// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "models/core/problems.h"
#include "models/kernel/timetable.h"
#include "models/network/fabric.h"
#include "platforms/machine/params.h"
#include "sw/os/socket_params.h"

namespace sunstar::machine {

/// The places of a fabric at which nodes can be: what the machine must know about its shape.
struct Places {
  using Coordinates = std::vector<std::uint32_t>;
  std::uint32_t ports = 0;
  /// The port at the coordinates, if there is one.
  std::function<std::optional<std::uint32_t>(const Coordinates&)> port_at;
  std::function<Coordinates(std::uint32_t port)> coordinates;
  std::string rule;       ///< for coordinates, in error messages: "2 coordinates inside the torus of shape [6,6]"
  std::string size_path;  ///< the parameter that says how many there are: "network.shape"
  std::string noun;       ///< what has a place: "routers"

  /// The places of a fabric that identifies them by port number.
  static Places by_number(std::uint32_t ports, std::string size_path);
};

/// Makes the fabric of a machine, which shares the timetable of all nodes.
using MakeFabric = std::function<std::unique_ptr<network::Fabric>(const sc_core::sc_module_name& name,
                                                                  std::uint64_t seed, Timetable& timetable)>;

/// A machine in full: nodes with roles and places, buses and drives. It is made once from a configuration.
/// --print-config prints it, and assembly sees nothing else of the configuration.
struct Blueprint {
  /// `nodes` lists every node by itself, with its place and every bus by itself, and the counts agree with it.
  MachineParams machine;
  std::vector<std::uint32_t> ports;  ///< of the nodes
  MakeFabric make_fabric;
  std::optional<os::SocketParams> sockets{};  ///< if the nodes' messages go through TCP sockets

  /// Compute processors keep their order, as do I/O processors; a node that is both counts as both.
  std::uint32_t compute_processors() const { return machine.compute_processors; }
  std::uint32_t io_processors() const { return machine.io_processors; }
  std::uint32_t disks() const { return machine.disks; }
  /// The most disks that one node has.
  std::uint32_t disks_of_node() const;
};

/// How many nodes the list or the counts stand for.
std::uint64_t node_count(const MachineParams& machine);

/// Draws the blueprint: writes out a list of nodes, or the counts (compute processors, then I/O processors with a bus
/// and their share of the drives each), and gives places to nodes that name none. `seed` drives a
/// random placement. Adds what is impossible to `problems`, with paths below `path`. `defaults` tells which counts have
/// been set beside a list.
Blueprint draw(const MachineParams& machine, const Places& places, MakeFabric make_fabric, std::uint64_t seed,
               const std::string& path, Problems& problems, const MachineParams& defaults = {});

}  // namespace sunstar::machine
