// SPDX-License-Identifier: MIT
#include "platforms/machine/blueprint.h"

#include <algorithm>
#include <numeric>

#include "models/core/random.h"

namespace sunstar::machine {

namespace {

std::string text(const Places::Coordinates& place) {
  std::string s = "[";
  for (std::size_t i = 0; i < place.size(); ++i) s += (i ? "," : "") + std::to_string(place[i]);
  return s + "]";
}

std::string node_path(const std::string& path, std::size_t i) { return path + ".nodes." + std::to_string(i); }

/// The nodes that the counts stand for: every I/O processor has a bus, and a bus has a drive. The first compute
/// processors and the first I/O processors are the same nodes if some are combined.
std::vector<NodeSpec> from_counts(const MachineParams& machine, const std::string& path, Problems& problems) {
  if (machine.disks < machine.io_processors)
    problems.add(path + ".disks",
                 "is " + std::to_string(machine.disks) + "; it must be at least machine.io_processors, " +
                     std::to_string(machine.io_processors) + ", because each has a bus and no bus may be empty");
  const std::uint32_t fewer = std::min(machine.compute_processors, machine.io_processors);
  if (machine.combined > fewer)
    problems.add(path + ".combined", "is " + std::to_string(machine.combined) +
                                         "; it must be at most the number of compute processors and of I/O "
                                         "processors, " +
                                         std::to_string(fewer));
  const std::uint32_t combined = std::min(machine.combined, fewer);
  std::vector<NodeSpec> nodes(machine.compute_processors);
  for (std::uint32_t i = 0; i < machine.io_processors; ++i) {
    NodeSpec io;
    io.role = i < combined ? Role::both : Role::io;
    io.buses.resize(1);
    const std::uint32_t drives = machine.disks / machine.io_processors + (i < machine.disks % machine.io_processors);
    if (drives > 0) io.buses[0].drives = {DriveGroup{drives, {}}};
    if (i < combined) nodes[i] = io;
    else nodes.push_back(io);
  }
  return nodes;
}

/// Ports in the order in which nodes without a place get them.
std::vector<std::uint32_t> order_of_ports(const MachineParams& machine, std::size_t nodes, std::uint32_t ports,
                                          std::uint64_t seed) {
  std::vector<std::uint32_t> order(ports);
  std::iota(order.begin(), order.end(), 0u);
  if (machine.placement == Placement::random) {
    RandomStream random(seed, "placement");
    for (std::size_t i = ports; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  }
  if (machine.placement == Placement::alternating) {
    // The first half of the nodes takes even ports, the second half odd ones.
    const auto end = static_cast<std::ptrdiff_t>(std::min<std::size_t>(ports, (nodes + 1) / 2 * 2));
    std::stable_partition(order.begin(), order.begin() + end, [](std::uint32_t r) { return r % 2 == 0; });
  }
  return order;
}

/// Gives each node its port, and a place to each node that names none.
std::vector<std::uint32_t> place(std::vector<NodeSpec>& nodes, const MachineParams& machine, const Places& places,
                                 std::uint64_t seed, const std::string& path, Problems& problems) {
  if (nodes.size() > places.ports) {
    problems.add(json_path(path, places.size_path), "has " + std::to_string(places.ports) + " " + places.noun +
                                                        "; the machine has " + std::to_string(nodes.size()) +
                                                        " nodes, and each needs one of its own");
    return {};
  }
  constexpr std::uint32_t nowhere = UINT32_MAX;
  std::vector<std::uint32_t> ports(nodes.size(), nowhere);
  std::vector<std::ptrdiff_t> taken_by(places.ports, -1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].place.empty()) continue;
    const auto port = places.port_at(nodes[i].place);
    if (!port) {
      problems.add(node_path(path, i) + ".place", "is " + text(nodes[i].place) + "; it must have " + places.rule);
      continue;
    }
    if (taken_by[*port] >= 0)
      problems.add(node_path(path, i) + ".place",
                   "is " + text(nodes[i].place) + ", where node " + std::to_string(taken_by[*port]) + " is already");
    else taken_by[*port] = static_cast<std::ptrdiff_t>(i);
    ports[i] = *port;
  }
  const auto order = order_of_ports(machine, nodes.size(), places.ports, seed);
  auto next = order.begin();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].place.empty()) continue;
    while (next != order.end() && taken_by[*next] >= 0) ++next;
    if (next == order.end()) break;
    taken_by[*next] = static_cast<std::ptrdiff_t>(i);
    ports[i] = *next;
    nodes[i].place = places.coordinates(*next);
  }
  return ports;
}

/// Checks that the nodes of a list have what their roles need.
void check_listed(const std::vector<NodeSpec>& nodes, const std::string& path, Problems& problems) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NodeSpec& node = nodes[i];
    const std::string buses = node_path(path, i) + ".buses";
    if (!node.does_io()) {
      if (!node.buses.empty())
        problems.add(buses, "are given for a node whose role is compute; only io and both have buses");
      continue;
    }
    if (node.buses.empty())
      problems.add(buses,
                   "is empty; a node whose role is io or both must have a bus with a drive, because otherwise no "
                   "request would reach it");
    for (std::size_t b = 0; b < node.buses.size(); ++b)
      if (node.buses[b].drives.empty())
        problems.add(buses + "." + std::to_string(b) + ".drives",
                     "is empty; a bus must have a drive, because otherwise nothing would use it");
  }
}

void check_sectors(const std::vector<NodeSpec>& nodes, const MachineParams& machine, const std::string& path,
                   Problems& problems) {
  std::uint64_t one = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const BusSpec& bus : nodes[i].buses)
      for (const DriveGroup& group : bus.drives) {
        const std::uint64_t bytes = (group.disk ? *group.disk : machine.disk).sector_size.count;
        if (one == 0) one = bytes;
        if (bytes != one)
          problems.add(node_path(path, i) + ".buses", "mix drives of " + std::to_string(one) + "-byte and " +
                                                          std::to_string(bytes) +
                                                          "-byte sectors; a file system needs one size");
      }
}

/// Sets the counts from the nodes. A count that was set beside a list of nodes must agree with the list.
void count(MachineParams& machine, bool listed, const MachineParams& defaults, const std::string& path,
           Problems& problems) {
  std::uint32_t compute = 0, io = 0, combined = 0, disks = 0;
  for (const NodeSpec& n : machine.nodes) {
    compute += n.computes();
    io += n.does_io();
    combined += n.computes() && n.does_io();
    disks += n.drive_count();
  }
  if (compute == 0)
    problems.add(path + ".nodes", "has no node that computes; at least one role must be compute or both");
  if (disks == 0) problems.add(path + ".nodes", "has no drive; at least one node must have a bus with a drive");
  const auto agree = [&](const char* key, std::uint32_t& count, std::uint32_t unset, std::uint32_t have) {
    if (listed && count != unset && count != have)
      problems.add(path + "." + key, "is " + std::to_string(count) + ", but " + path + ".nodes has " +
                                         std::to_string(have) + "; leave the count out, or the nodes");
    count = have;
  };
  agree("compute_processors", machine.compute_processors, defaults.compute_processors, compute);
  agree("io_processors", machine.io_processors, defaults.io_processors, io);
  agree("combined", machine.combined, defaults.combined, combined);
  agree("disks", machine.disks, defaults.disks, disks);
}

}  // namespace

Places Places::by_number(std::uint32_t ports, std::string size_path) {
  Places p;
  p.ports = ports;
  p.port_at = [ports](const Coordinates& c) -> std::optional<std::uint32_t> {
    if (c.size() != 1 || c[0] >= ports) return std::nullopt;
    return c[0];
  };
  p.coordinates = [](std::uint32_t port) { return Coordinates{port}; };
  p.rule = "the number of a port, 0 to " + std::to_string(ports - 1);
  p.size_path = std::move(size_path);
  p.noun = "ports";
  return p;
}

Blueprint draw(const MachineParams& machine, const Places& places, MakeFabric make_fabric, std::uint64_t seed,
               const std::string& path, Problems& problems, const MachineParams& defaults) {
  Blueprint b{machine, {}, std::move(make_fabric)};
  const bool listed = !machine.nodes.empty();
  if (listed) check_listed(machine.nodes, path, problems);
  else b.machine.nodes = from_counts(machine, path, problems);
  b.ports = place(b.machine.nodes, machine, places, seed, path, problems);
  check_sectors(b.machine.nodes, machine, path, problems);
  count(b.machine, listed, defaults, path, problems);
  return b;
}

std::uint32_t Blueprint::disks_of_node() const {
  std::uint32_t most = 0;
  for (const NodeSpec& n : machine.nodes) most = std::max(most, n.drive_count());
  return most;
}

}  // namespace sunstar::machine
