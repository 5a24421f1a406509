// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/core/catalogue.h"
#include "models/core/param.h"
#include "models/core/problems.h"
#include "models/disk/drive_params.h"
#include "models/network/network.h"
#include "models/node/node_params.h"
#include "models/scsi/bus_params.h"
#include "sw/file_systems/file_system_params.h"
#include "sw/os/costs.h"

// The configuration of sunstar-torus.
namespace sunstar::torus {

/// Drives of one type on a bus.
struct DriveGroup {
  std::uint32_t count = 1;
  std::optional<disk::DriveParams> disk;
};
BOOST_DESCRIBE_STRUCT(DriveGroup, (), (count, disk))
inline std::vector<Param> parameters(const DriveGroup*) {
  return {
      {"count", "drives of this type", "1", "1024"},
      Param{"disk",
            "their type: as machine.disk, which it is if left out and from which an object takes what it leaves out"}
          .starting_from("machine.disk")};
}

/// One SCSI bus and what hangs on it.
struct BusSpec {
  std::vector<DriveGroup> drives;
};
BOOST_DESCRIBE_STRUCT(BusSpec, (), (drives))
inline std::vector<Param> parameters(const BusSpec*) { return {{"drives", "drives on the bus, in order"}}; }

enum class Role { compute, io, both };
BOOST_DESCRIBE_ENUM(Role, compute, io, both)

/// One node of the machine.
struct NodeSpec {
  Role role = Role::compute;
  std::vector<std::uint32_t> place;
  std::vector<BusSpec> buses;
};
BOOST_DESCRIBE_STRUCT(NodeSpec, (), (role, place, buses))
inline std::vector<Param> parameters(const NodeSpec*) {
  return {{"role", "what the node does"},
          {"place",
           "its router: one coordinate for each dimension of the torus; the next free one by machine.placement if left "
           "out"},
          {"buses", "SCSI buses of a node that does I/O"}};
}

enum class Placement { compute_first, alternating, random };
BOOST_DESCRIBE_ENUM(Placement, compute_first, alternating, random)

enum class Spindles { synchronised, independent };
BOOST_DESCRIBE_ENUM(Spindles, synchronised, independent)

enum class FirstCylinder { block_zero, random };
BOOST_DESCRIBE_ENUM(FirstCylinder, block_zero, random)

/// The hardware. The counts are shorthand for a list of nodes.
struct MachineParams {
  std::uint32_t compute_processors = 16;
  std::uint32_t io_processors = 16;
  std::uint32_t disks = 16;
  disk::DriveParams disk;
  Spindles spindles = Spindles::independent;
  FirstCylinder first_cylinder = FirstCylinder::block_zero;
  scsi::BusParams bus;
  node::NodeParams node;
  network::NetworkParams network;
  Placement placement = Placement::compute_first;
  std::vector<NodeSpec> nodes;
  os::Costs costs;
};
BOOST_DESCRIBE_STRUCT(MachineParams, (),
                      (compute_processors, io_processors, disks, disk, spindles, first_cylinder, bus, node, network,
                       placement, nodes, costs))
inline std::vector<Param> parameters(const MachineParams*) {
  const auto with_files = [](Param p) { return std::move(p).used_if("workload.kind", {"pattern", "trace"}); };
  return {
      with_files({"compute_processors", "CPs (TR94-226, Table 1: 16)", "1", "4096"}),
      with_files({"io_processors", "IOPs, with one SCSI bus each (TR94-226, Table 1: 16)", "1", "4096"}),
      with_files({"disks", "disks in all, dealt out to the IOPs in turn (TR94-226, Table 1: 16)", "1", "65536"}),
      with_files({"disk", "type of the drives: a drive of the catalogue, a file or the parameters themselves"}),
      with_files({"spindles", "whether all drives turn in phase, at a phase drawn from the seed, or each at its own"}),
      with_files({"first_cylinder",
                  "where the arms of the drives stand when a run starts: at the cylinder of block 0, or anywhere"}),
      with_files({"bus", "the SCSI buses"}),
      with_files({"node", "the nodes' hardware"}),
      {"network", "routers and links"},
      with_files({"placement", "which routers the nodes without a place of their own get"}),
      with_files({"nodes", "the machine node by node instead of by counts"}),
      with_files({"costs", "cycles of the firmware's primitives"}),
  };
}

enum class WorkloadKind { pattern, trace, traffic };
BOOST_DESCRIBE_ENUM(WorkloadKind, pattern, trace, traffic)
enum class TimeUnit { s, ms, us, ns };
BOOST_DESCRIBE_ENUM(TimeUnit, s, ms, us, ns)
enum class Pacing { back_to_back, think_times, open_loop };
BOOST_DESCRIBE_ENUM(Pacing, back_to_back, think_times, open_loop)

/// What the applications do.
struct WorkloadParams {
  WorkloadKind kind = WorkloadKind::pattern;
  std::string pattern = "rb";
  Bytes record_size{8192};
  Bytes file_size{10 << 20};
  std::string shape;
  std::filesystem::path trace;
  TimeUnit time_unit = TimeUnit::s;
  std::string include;
  std::string exclude;
  double scale = 1;
  Pacing pacing = Pacing::back_to_back;
  Duration start_skew = std::chrono::nanoseconds{200};
  std::string traffic = "uniform";
  double load = 0.1;
  std::uint32_t packet_flits = 8;
  std::uint32_t hotspot = 0;
  double hotspot_share = 0.1;
  std::uint64_t warm_up = 20'000;
  std::uint64_t measured = 100'000;
  double precision = 0.01;
  std::uint64_t drain = 100'000;
  std::filesystem::path records;
};
BOOST_DESCRIBE_STRUCT(WorkloadParams, (),
                      (kind, pattern, record_size, file_size, shape, trace, time_unit, include, exclude, scale, pacing,
                       start_skew, traffic, load, packet_flits, hotspot, hotspot_share, warm_up, measured, precision,
                       drain, records))
std::vector<Param> parameters(const WorkloadParams*);
/// That there is such a pattern.
void check(const WorkloadParams& workload, const std::string& path, Problems& problems);

/// How often, and from which seed.
struct RunParams {
  std::uint64_t seed = 1;
  std::uint32_t trials = 1;
  std::uint32_t jobs = 0;
};
BOOST_DESCRIBE_STRUCT(RunParams, (), (seed, trials, jobs))
inline std::vector<Param> parameters(const RunParams*) {
  return {{"seed",
           "drives layouts, spindle phases, first head positions and the timing variation; a random placement is the "
           "same in all trials"},
          {"trials", "runs with seeds seed, seed + 1, ...; the result is their mean", "1", "10000"},
          {"jobs", "trials at the same time; 0: as many as the host has processors", "0", "1024"}};
}

struct Config {
  MachineParams machine;
  file_systems::FileSystemParams file_system;
  WorkloadParams workload;
  RunParams run;
};
BOOST_DESCRIBE_STRUCT(Config, (), (machine, file_system, workload, run))
inline std::vector<Param> parameters(const Config*) {
  return {{"machine", "the hardware"},
          Param{"file_system", "the software between applications and disks"}.used_if("workload.kind",
                                                                                      {"pattern", "trace"}),
          {"workload", "what the applications do"},
          {"run", "how often, and from which seed"}};
}
/// Rules across sections.
void check(const Config&, const std::string& path, Problems&);

}  // namespace sunstar::torus
