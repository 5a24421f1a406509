// SPDX-License-Identifier: MIT
#include "platforms/machine/assembly/blueprint.h"

#include "models/core/shape.h"

namespace sunstar::machine {

namespace {

std::string node_path(const std::string& path, std::size_t entry) { return path + ".nodes." + std::to_string(entry); }

/// The nodes that the counts stand for: every I/O processor has a bus, and a bus has a drive. The first compute
/// processors and the first I/O processors are the same nodes if some are combined.
std::vector<NodeSpec> from_counts(const MachineParams& machine, const std::string& path, Problems& problems) {
  if (machine.disks < machine.io_processors)
    problems.add(path + ".disks", "is ", machine.disks, "; it must be at least machine.io_processors, ",
                 machine.io_processors, ", because each has a bus and no bus may be empty");
  const std::uint32_t fewer = std::min(machine.compute_processors, machine.io_processors);
  if (machine.combined > fewer)
    problems.add(path + ".combined", "is ", machine.combined,
                 "; it must be at most the number of compute processors and of I/O processors, ", fewer);
  const std::uint32_t combined = std::min(machine.combined, fewer);
  std::vector<NodeSpec> nodes(machine.compute_processors);
  for (std::uint32_t i = 0; i < machine.io_processors; ++i) {
    NodeSpec io;
    io.role = i < combined ? Role::both : Role::io;
    io.buses.resize(1);
    const std::uint32_t drives = machine.disks / machine.io_processors + (i < machine.disks % machine.io_processors);
    if (drives > 0) io.buses[0].drives = {DriveGroup{drives, {}, {}}};
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

/// Every node and every bus of a list by itself.
struct WrittenOut {
  std::vector<NodeSpec> nodes;
  std::vector<std::size_t> entries;  ///< of the list, from which each node comes
};
WrittenOut write_out(const std::vector<NodeSpec>& list) {
  WrittenOut all;
  for (std::size_t entry = 0; entry < list.size(); ++entry) {
    NodeSpec node = list[entry];
    if (std::exchange(node.count, 1) > 1) node.place.clear();
    node.buses.clear();
    for (BusSpec bus : list[entry].buses) {
      const std::uint32_t buses = std::exchange(bus.count, 1);
      node.buses.insert(node.buses.end(), buses, bus);
    }
    all.nodes.insert(all.nodes.end(), list[entry].count, node);
    all.entries.insert(all.entries.end(), list[entry].count, entry);
  }
  return all;
}

/// Gives each node its port, and a place to each node that names none.
std::vector<std::uint32_t> place(WrittenOut& all, const MachineParams& machine, const network::Places& places,
                                 std::uint64_t seed, const std::string& path, Problems& problems) {
  const std::uint32_t all_ports = places.ports();
  std::vector<NodeSpec>& nodes = all.nodes;
  constexpr std::uint32_t nowhere = UINT32_MAX;
  std::vector<std::uint32_t> ports(nodes.size(), nowhere);
  std::vector<std::ptrdiff_t> taken_by(all_ports, -1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].place.empty()) continue;
    const auto port = places.port_at(nodes[i].place);
    if (!port) {
      problems.add(node_path(path, all.entries[i]) + ".place", "is ", text_of(nodes[i].place), "; it must have ",
                   places.rule);
      continue;
    }
    if (taken_by[*port] >= 0)
      problems.add(node_path(path, all.entries[i]) + ".place", "is ", text_of(nodes[i].place), ", where ",
                   node_path(path, all.entries[static_cast<std::size_t>(taken_by[*port])]), " is already");
    else taken_by[*port] = static_cast<std::ptrdiff_t>(i);
    ports[i] = *port;
  }
  const auto order = order_of_ports(machine, nodes.size(), all_ports, seed);
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

/// Checks that the drives of a bus are of one technology.
void check_drives(const BusSpec& bus, const MachineParams& machine, const std::string& path, Problems& problems) {
  for (std::size_t g = 0; g < bus.drives.size(); ++g) {
    const DriveGroup& group = bus.drives[g];
    if (group.disk && group.nvme)
      problems.add(path + "." + std::to_string(g), "has both disk and nvme; drives are of one of these types");
    else if (machine.is_nvme(group) != machine.is_nvme(bus.drives.front()))
      problems.add(path, "mix disks and NVMe drives; disks are on a SCSI bus, so give each kind an entry of buses");
  }
}

/// Checks that the nodes of a list suit their roles.
void check_listed(const MachineParams& machine, const std::string& path, Problems& problems) {
  const std::vector<NodeSpec>& nodes = machine.nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NodeSpec& node = nodes[i];
    const std::string buses = node_path(path, i) + ".buses";
    if (node.count > 1 && !node.place.empty())
      problems.add(node_path(path, i) + ".place", "is ", text_of(node.place), ", but count is ", node.count,
                   "; only one node can be there, so leave one of them out");
    if (!node.does_io()) {
      if (!node.buses.empty())
        problems.add(buses, "are given for a node whose role is compute; only io and both have buses");
      continue;
    }
    if (node.buses.empty())
      problems.add(buses,
                   "is empty; a node whose role is io or both must have a bus with a drive, because otherwise no "
                   "request would reach it");
    for (std::size_t b = 0; b < node.buses.size(); ++b) {
      const std::string drives = buses + "." + std::to_string(b) + ".drives";
      if (node.buses[b].drives.empty())
        problems.add(drives, "is empty; a bus must have a drive, because otherwise nothing would use it");
      check_drives(node.buses[b], machine, drives, problems);
    }
  }
}

void check_sectors(const std::vector<NodeSpec>& nodes, const MachineParams& machine, const std::string& path,
                   Problems& problems) {
  std::uint64_t one = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const BusSpec& bus : nodes[i].buses)
      for (const DriveGroup& group : bus.drives) {
        const std::uint64_t bytes = machine.is_nvme(group) ? machine.nvme_of(group).sector_size.count
                                                           : machine.disk_of(group).sector_size.count;
        if (one == 0) one = bytes;
        if (bytes != one)
          problems.add(node_path(path, i) + ".buses", "mix drives of ", one, "-byte and ", bytes,
                       "-byte sectors; a file system needs one size");
      }
}

struct Sums {
  std::uint64_t nodes = 0, compute = 0, io = 0, combined = 0, disks = 0;
};
Sums sums_of(const std::vector<NodeSpec>& list) {
  Sums sums;
  for (const NodeSpec& n : list) {
    const std::uint64_t count = n.count;
    sums.nodes += count;
    sums.compute += n.computes() ? count : 0;
    sums.io += n.does_io() ? count : 0;
    sums.combined += n.computes() && n.does_io() ? count : 0;
    sums.disks += count * n.drive_count();
  }
  return sums;
}

/// The most that `count`, a parameter of the machine, may be.
std::uint64_t most(std::string_view count) {
  const auto all = parameters(static_cast<const Counts*>(nullptr));
  return std::stoull(
      std::ranges::find(all, count, [](const Param& p) -> std::string_view { return p.name; })->max.text());
}

/// Sets the counts from the nodes. A count that was set beside a list of nodes must agree with the list.
void count(MachineParams& machine, const Sums& sums, bool listed, const std::string& path, Problems& problems) {
  if (sums.compute == 0)
    problems.add(path + ".nodes", "has no node that computes; at least one role must be compute or both");
  if (sums.disks == 0) problems.add(path + ".nodes", "has no drive; at least one node must have a bus with a drive");
  const auto agree = [&](const char* key, std::uint32_t& count, std::uint32_t unset, std::uint64_t have) {
    const auto has = path + ".nodes has " + std::to_string(have);
    if (listed && count != unset && count != have)
      problems.add(path + "." + key, "is ", count, ", but ", has, "; leave the count out, or the nodes");
    else if (have > most(key))
      problems.add(path + ".nodes", "has more ", key, " than a machine can have: ", have, "; the most is ", most(key));
    count = static_cast<std::uint32_t>(have);
  };
  agree("compute_processors", machine.compute_processors, machine.unset.compute_processors, sums.compute);
  agree("io_processors", machine.io_processors, machine.unset.io_processors, sums.io);
  agree("combined", machine.combined, machine.unset.combined, sums.combined);
  agree("disks", machine.disks, machine.unset.disks, sums.disks);
}

}  // namespace

std::uint64_t node_count(const MachineParams& machine) {
  const std::uint32_t fewer = std::min(machine.compute_processors, machine.io_processors);
  const std::uint64_t by_counts =
      std::uint64_t{machine.compute_processors} + machine.io_processors - std::min(machine.combined, fewer);
  const std::uint64_t nodes = machine.nodes.empty() ? by_counts : sums_of(machine.nodes).nodes;
  return std::min(nodes, most("compute_processors") + most("io_processors"));
}

Blueprint draw(const MachineParams& machine, network::Places places, MakeFabric make_fabric, std::uint64_t seed,
               const std::string& path, Problems& problems) {
  Blueprint b{machine, {}, std::move(places), std::move(make_fabric)};
  const bool listed = !machine.nodes.empty();
  if (listed) check_listed(machine, path, problems);
  const std::vector<NodeSpec> list = listed ? machine.nodes : from_counts(machine, path, problems);
  const Sums sums = sums_of(list);
  check_sectors(list, machine, path, problems);
  count(b.machine, sums, listed, path, problems);
  // A receiver would take a segment that overtakes another for one behind a loss.
  if (const auto tcp = machine.sockets.tcp(); tcp && tcp->connections > 1 && machine.delivery.acknowledged())
    problems.add(path + ".sockets.connections", "is ", tcp->connections,
                 "; it must be 1 if machine.delivery.kind is acknowledged");
  if (sums.nodes > b.places.ports()) {
    problems.add(path + ".network." + b.places.size, "has ", b.places.ports(), " ", b.places.noun,
                 "s; the machine has ", sums.nodes, " nodes, and each needs one of its own");
    return b;
  }
  WrittenOut all = write_out(list);
  b.ports = place(all, machine, b.places, seed, path, problems);
  b.machine.nodes = std::move(all.nodes);
  return b;
}

std::uint32_t Blueprint::disks_of_node() const { return greatest(machine.nodes, &NodeSpec::drive_count); }

}  // namespace sunstar::machine
