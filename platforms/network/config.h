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
#include "platforms/network/pattern.h"

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
inline std::vector<Param> parameters(const SyntheticParams*) {
  const auto hotspot = [](Param p) { return std::move(p).used_if("pattern", {"hotspot"}); };
  return {
      {"pattern", "the destinations of messages", "", "", pattern_names()},
      {"load", "flits that a node sends on average in the time of one flit on a link", "0.000001", "1"},
      hotspot({"hotspot", "the router to which hotspot messages go"}),
      hotspot({"hotspot_share", "share of messages that go to the hotspot; other messages go to any router", "0", "1"}),
      {"warm_up", "router cycles before the measurement begins", "0", "1000000000000"},
      {"measured", "router cycles whose messages are measured, at least", "1", "1000000000000"},
      {"precision",
       "the measurement is extended, to at most ten times measured, until the half-width of the mean latency's 95 % "
       "confidence interval is at most this share of the mean, or the network saturates",
       "0", "1"},
      {"drain", "most cycles to wait for the last measured message, while new messages still follow", "0",
       "1000000000000"},
  };
}

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
inline void check(const Config& config, const std::string&, Problems& problems) {
  const network::Places places = network::places(config.machine.network.kind);
  const std::string size = "machine.network." + places.size;
  if (!places.undecided.empty()) return problems.add(size, places.undecided);
  if (const auto* ping_pong = config.workload.kind.if_is<PingPongParams>()) {
    const auto check_port = [&](const char* name, std::uint32_t port) {
      if (port >= places.ports())
        problems.add(std::string("workload.") + name, "is ", port, "; the network has ", places.noun, "s 0 to ",
                     places.ports() - 1);
    };
    check_port("from", ping_pong->from);
    check_port("to", ping_pong->to);
    if (ping_pong->from == ping_pong->to)
      problems.add("workload.to", "is ", ping_pong->to, ", as workload.from is; they must differ");
    return;
  }
  const auto* synthetic = config.workload.kind.if_is<SyntheticParams>();
  if (!synthetic) return;
  if (synthetic->pattern == "bit-reversal" && !std::has_single_bit(places.ports()))
    problems.add("workload.pattern", "is bit-reversal; ", size, " must then give a number of ", places.noun,
                 "s that is a power of two, not ", places.ports());
  if (synthetic->pattern == "next-group" && places.ports_per_group == 0)
    problems.add("workload.pattern", "is next-group, which needs groups of nodes; machine.network.kind is ",
                 config.machine.network.kind.kind_name(), ", which has none; a dragonfly has");
  else if (synthetic->pattern == "next-group" && places.ports_per_group == places.ports())
    problems.add("workload.pattern", "is next-group, which needs at least two groups; ", size, " gives one");
  if (synthetic->pattern == "transpose" && !places.by_coordinates)
    problems.add("workload.pattern", "is transpose, which needs nodes with coordinates; machine.network.kind is ",
                 config.machine.network.kind.kind_name(), ", whose ", places.noun, "s have numbers only");
  else if (synthetic->pattern == "transpose" &&
           !std::equal(places.shape.begin(), places.shape.end(), places.shape.rbegin()))
    problems.add("workload.pattern", "is transpose; ", size, " must then read the same backwards");
  if (synthetic->pattern == "hotspot" && synthetic->hotspot >= places.ports())
    problems.add("workload.hotspot", "is ", synthetic->hotspot, "; ", size, " has ", places.noun, "s 0 to ",
                 places.ports() - 1);
}

}  // namespace sunstar::traffic
