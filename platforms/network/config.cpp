// SPDX-License-Identifier: MIT
#include "platforms/network/config.h"

#include <algorithm>

#include "platforms/network/pattern.h"

namespace sunstar::traffic {

std::vector<Param> parameters(const SyntheticParams*) {
  const auto hotspot = [](Param p) { return std::move(p).used_if("pattern", {"hotspot"}); };
  return {
      {"pattern", "where messages go", "", "", pattern_names()},
      {"load", "flits that a node sends on average in the time of one flit on a link", "0.000001", "1"},
      hotspot({"hotspot", "the router to which hotspot messages go"}),
      hotspot({"hotspot_share", "share of messages that go to the hotspot; the others go to any router", "0", "1"}),
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

std::vector<Param> parameters(const TraceParams*) {
  return {
      {"trace", "CSV file, plain or .gz, with the columns time, from, to, bytes"},
      {"time_unit", "unit of the times in the trace"},
  };
}

void check(const TraceParams& params, const std::string& path, Problems& problems) {
  if (params.trace.empty())
    problems.add(json_path(path, "trace"), "is missing; a workload of the kind trace needs the file of its messages");
}

std::vector<Param> parameters(const WorkloadParams*) {
  return {
      {"kind", "where the messages come from"},
      {"packet_flits", "flits in a message", "1", "1000000"},
  };
}

void check(const Config& config, const std::string&, Problems& problems) {
  const Shape& given = config.machine.network.shape;
  if (given.is_to_choose())
    problems.add("machine.network.shape", "is \"" + std::string(given.word()) +
                                              "\"; without nodes, nothing says how many routers that is; it must be "
                                              "the routers in each dimension, such as \"6x6\"");
  const auto* synthetic = config.workload.kind.if_is<SyntheticParams>();
  if (!synthetic || given.is_to_choose()) return;
  const auto& shape = given.sizes();
  if (synthetic->pattern == "transpose" && !std::equal(shape.begin(), shape.end(), shape.rbegin()))
    problems.add("workload.pattern", "is transpose; machine.network.shape must then read the same backwards");
  if (synthetic->pattern != "hotspot") return;
  if (const std::uint32_t routers = network::Cube(shape).routers(); synthetic->hotspot >= routers)
    problems.add("workload.hotspot", "is " + std::to_string(synthetic->hotspot) +
                                         "; machine.network.shape has routers 0 to " + std::to_string(routers - 1));
}

}  // namespace sunstar::traffic
