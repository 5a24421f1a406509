// SPDX-License-Identifier: MIT
#include "platforms/network/config.h"

#include "platforms/network/pattern.h"

namespace sunstar::traffic {

std::vector<Param> parameters(const SyntheticParams*) {
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

void check(const Config& config, const std::string&, Problems& problems) {
  const network::Places places = network::places(config.machine.network.kind);
  const std::string size = "machine.network." + places.size;
  if (!places.undecided.empty()) return problems.add(size, places.undecided);
  if (const auto* ping_pong = config.workload.kind.if_is<PingPongParams>()) {
    const auto check_port = [&](const char* name, std::uint32_t port) {
      if (port >= places.ports())
        problems.add(std::string("workload.") + name, "is " + std::to_string(port) + "; the network has " +
                                                          places.noun + "s 0 to " + std::to_string(places.ports() - 1));
    };
    check_port("from", ping_pong->from);
    check_port("to", ping_pong->to);
    if (ping_pong->from == ping_pong->to)
      problems.add("workload.to", "is " + std::to_string(ping_pong->to) + ", as workload.from is; they must differ");
    return;
  }
  const auto* synthetic = config.workload.kind.if_is<SyntheticParams>();
  if (!synthetic) return;
  if (synthetic->pattern == "bit-reversal" && !std::has_single_bit(places.ports()))
    problems.add("workload.pattern", "is bit-reversal; " + size + " must then give a number of " + places.noun +
                                         "s that is a power of two, not " + std::to_string(places.ports()));
  if (synthetic->pattern == "next-group" && places.ports_per_group == 0)
    problems.add("workload.pattern", "is next-group, which needs groups of nodes; machine.network.kind is " +
                                         std::string(config.machine.network.kind.kind_name()) +
                                         ", which has none; a dragonfly has");
  else if (synthetic->pattern == "next-group" && places.ports_per_group == places.ports())
    problems.add("workload.pattern", "is next-group, which needs at least two groups; " + size + " gives one");
  if (synthetic->pattern == "transpose" && !places.by_coordinates)
    problems.add("workload.pattern", "is transpose, which needs nodes with coordinates; machine.network.kind is " +
                                         std::string(config.machine.network.kind.kind_name()) + ", whose " +
                                         places.noun + "s have numbers only");
  else if (synthetic->pattern == "transpose" &&
           !std::equal(places.shape.begin(), places.shape.end(), places.shape.rbegin()))
    problems.add("workload.pattern", "is transpose; " + size + " must then read the same backwards");
  if (synthetic->pattern == "hotspot" && synthetic->hotspot >= places.ports())
    problems.add("workload.hotspot", "is " + std::to_string(synthetic->hotspot) + "; " + size + " has " + places.noun +
                                         "s 0 to " + std::to_string(places.ports() - 1));
}

}  // namespace sunstar::traffic
