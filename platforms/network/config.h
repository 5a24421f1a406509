// SPDX-License-Identifier: MIT
#pragma once
#include <filesystem>

#include "models/core/faults.h"
#include "models/core/one_of.h"
#include "models/core/param.h"
#include "models/core/problems.h"
#include "models/core/quantity.h"
#include "models/network/network_faults.h"
#include "models/node/node_params.h"
#include "models/registry/fabrics.h"
#include "platforms/kit/run/run_params.h"

// The configuration of sunstar-network.
namespace sunstar::traffic {

struct MachineParams {
  network::NetworkParams<network::Fabrics> network;
  node::NodeParams node;
  MachineParams() { network.kind = chosen_for(network::CubeParams{}, 36); }
};
BOOST_DESCRIBE_STRUCT(MachineParams, (), (network, node))
inline std::vector<Param> parameters(const MachineParams*) {
  return {{"network", "what connects the terminals"},
          Param{"node", "the two nodes of a ping-pong"}.used_if("workload.kind", {"ping-pong"})};
}

/// Messages drawn at random, by an endless Bernoulli process in each node.
struct SyntheticParams {
  static constexpr std::string_view kind = "synthetic";
  static constexpr std::string_view help = "messages drawn at random, with destinations that follow a pattern";
  std::string pattern = "uniform";
  double load = 0.1;
  std::uint32_t hotspot = 0;
  double hotspot_share = 0.1;
  std::uint64_t warm_up = 20'000;
  std::uint64_t measured = 100'000;
  double precision = 0.01;
  std::uint64_t drain = 100'000;
};
BOOST_DESCRIBE_STRUCT(SyntheticParams, (), (pattern, load, hotspot, hotspot_share, warm_up, measured, precision, drain))
std::vector<Param> parameters(const SyntheticParams*);

/// The messages of a file.
struct TraceParams {
  static constexpr std::string_view kind = "trace";
  static constexpr std::string_view help = "messages from a file, sent at the times given there";
  std::filesystem::path trace;
  TimeUnit time_unit = TimeUnit::s;
};
BOOST_DESCRIBE_STRUCT(TraceParams, (), (trace, time_unit))
inline std::vector<Param> parameters(const TraceParams*) {
  return {
      {"trace", "CSV file, plain or .gz, with the columns time, from, to, bytes"},
      {"time_unit", "unit of the times in the trace"},
  };
}
inline void check(const TraceParams& params, const std::string& path, Problems& problems) {
  if (params.trace.empty())
    problems.add(json_path(path, "trace"), "is missing; a workload of the kind trace needs the file of its messages");
}

/// Messages between two programs, as the OSU micro-benchmarks send them (ping_pong.cpp).
struct PingPongParams {
  static constexpr std::string_view kind = "ping-pong";
  static constexpr std::string_view help =
      "messages to and fro between two nodes, and then windows of messages one way: latency and bandwidth";
  Bytes bytes{8};
  std::uint32_t window = 64;
  std::uint32_t from = 0, to = 1;
};
BOOST_DESCRIBE_STRUCT(PingPongParams, (), (bytes, window, from, to))
inline std::vector<Param> parameters(const PingPongParams*) {
  return {
      {"bytes", "length of a message", "1B", "1GiB"},
      {"window", "messages that are sent in a row before their answer is awaited", "1", "65536"},
      {"from", "port of the node that begins"},
      {"to", "port of the other node"},
  };
}

/// The traffic of the network.
struct WorkloadParams {
  OneOf<SyntheticParams, TraceParams, PingPongParams> kind;
  std::uint32_t packet_flits = 8;
};
BOOST_DESCRIBE_STRUCT(WorkloadParams, (), (kind, packet_flits))
inline std::vector<Param> parameters(const WorkloadParams*) {
  return {
      {"kind", "the source of the messages"},
      Param{"packet_flits", "flits in a message", "1", "1000000"}.used_if("kind", {"synthetic"}),
  };
}

struct RunParams : kit::RunParams {
  std::filesystem::path records;
};
BOOST_DESCRIBE_STRUCT(RunParams, (kit::RunParams), (records))
inline std::vector<Param> parameters(const RunParams*) {
  return {{"records", "CSV file to write, with one line for each measured message of the first trial; none if empty"}};
}

/// A fault of the network.
struct Fault : faults::FaultOf<network::FaultEffects> {};
BOOST_DESCRIBE_STRUCT(Fault, (faults::FaultOf<network::FaultEffects>), ())
inline std::vector<Param> parameters(const Fault*) {
  return {{"place",
           "the part: a port or router (network.router7), a link (network.router7.up0); * and ? stand for any "
           "characters, and then each matching part has its own fault"}};
}

struct Config {
  std::string base;
  MachineParams machine;
  WorkloadParams workload;
  std::vector<Fault> faults;
  RunParams run;
};
BOOST_DESCRIBE_STRUCT(Config, (), (base, machine, workload, faults, run))
inline std::vector<Param> parameters(const Config*) {
  return {{"base", "the configuration to start from: a network preset's name, or the path of a file"},
          {"machine", "the hardware"},
          {"workload", "the messages that the network carries"},
          Param{"faults", "faults of ports, routers, links and messages during the run"}.used_unless("workload.kind",
                                                                                                     "ping-pong"),
          {"run", "how many trials, and from which seed"}};
}
/// Rules across sections.
void check(const Config& config, const std::string& path, Problems& problems);

}  // namespace sunstar::traffic
