// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <optional>

#include "models/core/param.h"
#include "models/disk/drive_params.h"
#include "models/node/node_params.h"
#include "models/nvme/drive_params.h"
#include "models/scsi/bus_params.h"
#include "sw/os/costs.h"
#include "sw/os/params.h"

// The parts of every machine with nodes and drives, on any fabric.
namespace sunstar::machine {

struct DriveGroup {
  std::uint32_t count = 1;
  std::optional<disk::DriveParams> disk;
  std::optional<nvme::DriveParams> nvme;
};
BOOST_DESCRIBE_STRUCT(DriveGroup, (), (count, disk, nvme))
inline std::vector<Param> parameters(const DriveGroup*) {
  return {{"count", "drives of this type", "1", "1024"},
          Param{"disk",
                "their type, given like machine.disk; without it, or where an object leaves something out, "
                "machine.disk applies"}
              .starting_from("machine.disk"),
          Param{"nvme",
                "their type, if they are NVMe drives, given like machine.nvme, which applies where an object leaves "
                "something out; with neither, they are as machine.nvme or, without it, machine.disk says"}
              .starting_from("machine.nvme")};
}

/// SCSI buses that are alike, and the drives attached to each of them; or NVMe drives, each on a link of its own.
struct BusSpec {
  std::uint32_t count = 1;
  std::vector<DriveGroup> drives;
  /// On one of the buses.
  std::uint32_t drive_count() const { return sum(drives, &DriveGroup::count); }
};
BOOST_DESCRIBE_STRUCT(BusSpec, (), (count, drives))
inline std::vector<Param> parameters(const BusSpec*) {
  return {{"count", "buses like this one", "1", "64"},
          {"drives", "drives on the bus, in order: disks of a SCSI bus, or NVMe drives"}};
}

BOOST_DEFINE_ENUM_CLASS(Role, compute, io, both)

/// Nodes of the machine that are alike.
struct NodeSpec {
  std::uint32_t count = 1;
  Role role = Role::compute;
  std::vector<std::uint32_t> place;
  std::vector<BusSpec> buses;

  bool computes() const { return role != Role::io; }
  bool does_io() const { return role != Role::compute; }
  /// Of one of the nodes.
  std::uint32_t drive_count() const {
    return sum(buses, [](const BusSpec& b) { return b.count * b.drive_count(); });
  }
};
BOOST_DESCRIBE_STRUCT(NodeSpec, (), (count, role, place, buses))
inline std::vector<Param> parameters(const NodeSpec*) {
  return {{"count", "nodes like this one, which follow one another", "1", "65536"},
          {"role", "what the node does"},
          {"place",
           "its place in the network, on a cube one coordinate for each dimension; if left out, the next free place by "
           "machine.placement. Several nodes leave it out"},
          {"buses", "SCSI buses of a node that does I/O, and its NVMe drives"}};
}

BOOST_DEFINE_ENUM_CLASS(Placement, compute_first, alternating, random)

BOOST_DEFINE_ENUM_CLASS(Spindles, synchronised, independent)

BOOST_DEFINE_ENUM_CLASS(FirstCylinder, block_zero, random)

struct Counts {
  std::uint32_t compute_processors = 16;
  std::uint32_t io_processors = 16;
  std::uint32_t combined = 0;
  std::uint32_t disks = 16;
};
BOOST_DESCRIBE_STRUCT(Counts, (), (compute_processors, io_processors, combined, disks))
inline std::vector<Param> parameters(const Counts*) {
  return {
      {"compute_processors", "CPs (TR94-226, Table 1: 16)", "1", "65536", Tuning::fixed},
      {"io_processors", "IOPs, with one SCSI bus each (TR94-226, Table 1: 16)", "1", "16384", Tuning::fixed},
      {"combined", "nodes that are both: the first compute processors are the first I/O processors, too", "0", "16384",
       Tuning::fixed},
      {"disks", "disks in total, dealt out to the IOPs in turn (TR94-226, Table 1: 16)", "1", "65536", Tuning::fixed},
  };
}

/// The hardware except the fabric. The counts are shorthand for a list of nodes, and `count` in the list is shorthand
/// for entries that repeat.
struct MachineParams : Counts {
  disk::DriveParams disk;
  std::optional<nvme::DriveParams> nvme;
  Spindles spindles = Spindles::independent;
  FirstCylinder first_cylinder = FirstCylinder::block_zero;
  scsi::BusParams bus;
  node::NodeParams node;
  Placement placement = Placement::compute_first;
  std::vector<NodeSpec> nodes;
  os::Costs costs;
  os::SocketChoice sockets;
  os::DeliveryChoice delivery;
  os::PeerChoice peers;

  /// The counts before the configuration sets any. Other counts beside a list of nodes must agree with it.
  Counts unset;

  /// Whether these are NVMe drives; the parameters of drives of either kind.
  bool is_nvme(const DriveGroup& group) const { return group.nvme || (nvme && !group.disk); }
  bool has_nvme(const BusSpec& bus) const { return !bus.drives.empty() && is_nvme(bus.drives.front()); }
  const nvme::DriveParams& nvme_of(const DriveGroup& group) const { return group.nvme ? *group.nvme : *nvme; }
  const disk::DriveParams& disk_of(const DriveGroup& group) const { return group.disk ? *group.disk : disk; }
  std::string bus_name(const std::string& node, const NodeSpec& spec, std::size_t bus) const {
    return node + (has_nvme(spec.buses[bus]) ? "_pcie" : "_scsi") + std::to_string(bus);
  }
};
BOOST_DESCRIBE_STRUCT(MachineParams, (Counts),
                      (disk, nvme, spindles, first_cylinder, bus, node, placement, nodes, costs, sockets, delivery,
                       peers))
inline std::vector<Param> parameters(const MachineParams*) {
  // Nodes that are listed may have disks beside NVMe drives.
  const auto disks_only = [](Param p) { return std::move(p).used_if("nvme", {"null"}).used_unless("nodes", "[]"); };
  return {
      disks_only({"disk", "type of the drives: a drive of the catalogue, a file or the parameters themselves"}),
      {"nvme", "an NVMe drive of the catalogue, a file or its parameters: the drives are of this type instead"},
      disks_only(
          {"spindles", "whether all drives turn in phase or each at its own phase; phases are drawn from the seed"}),
      disks_only({"first_cylinder",
                  "where the arms of the drives stand when a run starts: at the cylinder of block 0, or anywhere",
                  Tuning::fixed}),
      disks_only({"bus", "the SCSI buses"}),
      {"node", "the nodes' hardware"},
      {"placement", "how nodes that name no place are placed in the network", Tuning::setting},
      {"nodes", "the machine node by node instead of by counts", Tuning::fixed},
      {"costs", "cycles of the firmware's primitives"},
      {"sockets", "the layer between the nodes' software and the network"},
      {"delivery", "what the nodes' software expects of the network"},
      {"peers", "how a node notices that another node is gone", Tuning::fixed},
  };
}

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
