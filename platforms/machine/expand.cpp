// SPDX-License-Identifier: MIT
#include "platforms/machine/expand.h"

#include <algorithm>
#include <numeric>

#include "models/core/random.h"

namespace sunstar::machine {

namespace {

std::string text(const std::vector<std::uint32_t>& place) {
  std::string s = "[";
  for (std::size_t i = 0; i < place.size(); ++i) s += (i ? "," : "") + std::to_string(place[i]);
  return s + "]";
}

/// The nodes that the counts stand for: every I/O processor has a bus, and a bus has a drive.
std::vector<NodeSpec> from_counts(const MachineParams& machine) {
  std::vector<NodeSpec> nodes(machine.compute_processors);
  for (std::uint32_t i = 0; i < machine.io_processors; ++i) {
    NodeSpec io;
    io.role = Role::io;
    io.buses.resize(1);
    if (const std::uint32_t drives =
            machine.disks / machine.io_processors + (i < machine.disks % machine.io_processors))
      io.buses[0].drives = {DriveGroup{drives, {}}};
    nodes.push_back(io);
  }
  return nodes;
}

/// Routers in the order in which nodes without a place get them.
std::vector<std::uint32_t> order_of_places(const MachineParams& machine, std::size_t nodes, std::uint32_t routers,
                                           std::uint64_t seed) {
  std::vector<std::uint32_t> order(routers);
  std::iota(order.begin(), order.end(), 0u);
  if (machine.placement == Placement::random) {
    RandomStream random(seed, "placement");
    for (std::size_t i = routers; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  }
  if (machine.placement == Placement::alternating) {
    // The first half of the nodes takes even routers, the second half odd ones.
    std::stable_partition(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(routers, (nodes + 1) / 2 * 2)),
        [](std::uint32_t r) { return r % 2 == 0; });
  }
  return order;
}

}  // namespace

std::vector<NodeSpec> expand(const MachineParams& machine, std::uint64_t seed, const std::string& path,
                             Problems& problems) {
  std::vector<NodeSpec> nodes = machine.nodes.empty() ? from_counts(machine) : machine.nodes;
  if (machine.nodes.empty() && machine.disks < machine.io_processors)
    problems.add(path + ".disks",
                 "is " + std::to_string(machine.disks) + "; it must be at least machine.io_processors, " +
                     std::to_string(machine.io_processors) + ", for each has a bus and no bus may be empty");
  if (!network::buildable(machine.network.shape)) return nodes;  // check() of the network says so
  const network::Cube cube(machine.network.shape, machine.network.topology);
  std::vector<std::ptrdiff_t> taken_by(cube.routers(), -1);
  const auto node_path = [&](std::size_t i) { return path + ".nodes." + std::to_string(i); };

  if (nodes.size() > cube.routers()) {
    problems.add(path + ".network.shape", "has " + std::to_string(cube.routers()) + " routers; the machine has " +
                                              std::to_string(nodes.size()) + " nodes, and each needs one of its own");
    return nodes;
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto& place = nodes[i].place;
    if (place.empty()) continue;
    bool inside = place.size() == cube.dimensions();
    for (std::size_t d = 0; inside && d < place.size(); ++d) inside = place[d] < cube.shape()[d];
    if (!inside) {
      problems.add(node_path(i) + ".place", "is " + text(place) + "; it must have " +
                                                std::to_string(cube.dimensions()) +
                                                " coordinates inside the torus of shape " + text(cube.shape()));
      continue;
    }
    auto& owner = taken_by[cube.router_at(place)];
    if (owner >= 0)
      problems.add(node_path(i) + ".place",
                   "is " + text(place) + ", where node " + std::to_string(owner) + " is already");
    else owner = static_cast<std::ptrdiff_t>(i);
  }
  const auto order = order_of_places(machine, nodes.size(), cube.routers(), seed);
  auto next = order.begin();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].place.empty()) continue;
    while (next != order.end() && taken_by[*next] >= 0) ++next;
    if (next == order.end()) break;
    taken_by[*next] = static_cast<std::ptrdiff_t>(i);
    nodes[i].place = cube.coordinates(*next);
  }

  std::size_t compute = 0, drives = 0;
  std::uint64_t sector_bytes = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].role != Role::io) ++compute;
    if (nodes[i].role == Role::compute && !nodes[i].buses.empty())
      problems.add(node_path(i) + ".buses", "are given for a node whose role is compute; only io and both have buses");
    // Counts that leave a bus empty are said above.
    if (nodes[i].role != Role::compute && !machine.nodes.empty()) {
      if (nodes[i].buses.empty())
        problems.add(node_path(i) + ".buses",
                     "is empty; a node whose role is io or both must have a bus with a drive, for no request would "
                     "ever come to it");
      for (std::size_t b = 0; b < nodes[i].buses.size(); ++b)
        if (nodes[i].buses[b].drives.empty())
          problems.add(node_path(i) + ".buses." + std::to_string(b) + ".drives",
                       "is empty; a bus must have a drive, for nothing would ever use it");
    }
    for (const BusSpec& bus : nodes[i].buses)
      for (const DriveGroup& group : bus.drives) {
        drives += group.count;
        const std::uint64_t bytes = (group.disk ? *group.disk : machine.disk).sector_size.count;
        if (sector_bytes == 0) sector_bytes = bytes;
        if (bytes != sector_bytes)
          problems.add(node_path(i) + ".buses", "mix drives of " + std::to_string(sector_bytes) + "-byte and " +
                                                    std::to_string(bytes) +
                                                    "-byte sectors; a file system needs one size");
      }
  }
  if (compute == 0)
    problems.add(path + ".nodes", "has no node that computes; at least one role must be compute or both");
  if (drives == 0) problems.add(path + ".nodes", "has no drive; at least one node must have a bus with a drive");
  return nodes;
}

MachineParams expanded(const MachineParams& machine, std::uint64_t seed) {
  Problems problems;
  MachineParams m = machine;
  m.nodes = expand(machine, seed, "machine", problems);
  problems.throw_if_any();
  m.compute_processors = m.io_processors = m.disks = 0;
  for (const NodeSpec& n : m.nodes) {
    m.compute_processors += n.role != Role::io;
    m.io_processors += n.role != Role::compute;
    for (const BusSpec& bus : n.buses)
      for (const DriveGroup& group : bus.drives) m.disks += group.count;
  }
  return m;
}

void check_nodes(const MachineParams& machine, const std::string& path, Problems& problems) {
  const auto nodes = expand(machine, 0, path, problems);
  if (machine.nodes.empty()) return;
  // A count that was set beside the nodes must agree with them.
  const MachineParams defaults;
  std::uint32_t compute = 0, io = 0, disks = 0;
  for (const NodeSpec& n : nodes) {
    compute += n.role != Role::io;
    io += n.role != Role::compute;
    for (const BusSpec& bus : n.buses)
      for (const DriveGroup& group : bus.drives) disks += group.count;
  }
  const auto agree = [&](const char* key, std::uint32_t count, std::uint32_t unset, std::uint32_t have) {
    if (count != unset && count != have)
      problems.add(path + "." + key, "is " + std::to_string(count) + ", but " + path + ".nodes has " +
                                         std::to_string(have) + "; leave the count out, or the nodes");
  };
  agree("compute_processors", machine.compute_processors, defaults.compute_processors, compute);
  agree("io_processors", machine.io_processors, defaults.io_processors, io);
  agree("disks", machine.disks, defaults.disks, disks);
}

}  // namespace sunstar::machine
