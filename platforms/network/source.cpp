// SPDX-License-Identifier: MIT
#include "platforms/network/traffic_source.h"

#include <algorithm>
#include <cmath>

#include "platforms/kit/kinds.h"
#include "sw/workload/trace/csv.h"
#include "platforms/network/traffic_pattern.h"

namespace sunstar::traffic {
namespace {

/// In each flit time a node begins a message with probability load / packet_flits.
class Bernoulli : public TrafficSource {
 public:
  Bernoulli(const Config& config, std::uint64_t seed)
      : pattern_(workload::traffic_pattern(config.workload.traffic)),
        params_{config.machine.network.shape, config.workload.hotspot, config.workload.hotspot_share},
        flit_time_(config.machine.network.flit_time()),
        bytes_(
            static_cast<std::uint32_t>(config.workload.packet_flits * config.machine.network.router.flit_size.count)) {
    const double chance = config.workload.load / config.workload.packet_flits;
    log_not_ = chance < 1 ? std::log1p(-chance) : 0;
    const std::uint32_t routers = network::Cube(params_.shape).routers();
    nodes_.reserve(routers);
    for (std::uint32_t r = 0; r < routers; ++r)
      nodes_.push_back({RandomStream(seed, "traffic " + std::to_string(r)), -1});
  }

  TrafficMessage next(std::uint32_t node) override {
    Node& n = nodes_[node];
    // Flit times without a message are geometrically distributed.
    n.last += 1;
    if (log_not_ < 0) n.last += static_cast<std::int64_t>(std::log1p(-n.random.uniform()) / log_not_);
    return {Time{n.last * flit_time_}, node, pattern_.destination(node, params_, n.random), bytes_};
  }

 private:
  struct Node {
    RandomStream random;
    std::int64_t last;  // flit time of the last message
  };
  const workload::TrafficPattern& pattern_;
  workload::TrafficPattern::Params params_;
  Duration flit_time_;
  std::uint32_t bytes_;
  double log_not_;
  std::vector<Node> nodes_;
};

class Trace : public TrafficSource {
 public:
  explicit Trace(const Config& config)
      : messages_(network::Cube(config.machine.network.shape).routers()), at_(messages_.size()) {
    static const std::pair<TimeUnit, double> units[] = {
        {TimeUnit::s, 1}, {TimeUnit::ms, 1e-3}, {TimeUnit::us, 1e-6}, {TimeUnit::ns, 1e-9}};
    const double unit =
        std::ranges::find(units, config.workload.time_unit, &std::pair<TimeUnit, double>::first)->second;
    enum Column { time, from, to, bytes };
    workload::CsvReader file(config.workload.trace.string(), {"time", "from", "to", "bytes"});
    const auto router = [&](Column column) {
      const std::uint64_t r = file.integer(column);
      if (r >= messages_.size())
        file.refuse(column, "the number of a router, 0 to " + std::to_string(messages_.size() - 1));
      return static_cast<std::uint32_t>(r);
    };
    bool any = false;
    while (file.next()) {
      TrafficMessage m;
      const double seconds = file.time(time) * unit;
      if (seconds > 8e6) file.refuse(time, "at most 8000000 s");
      m.created = Time{from_seconds(seconds)};
      m.from = router(from);
      m.to = router(to);
      const std::uint64_t n = file.integer(bytes, 1u << 30);
      if (n == 0) file.refuse(bytes, "a whole number from 1 to 1073741824");
      m.bytes = static_cast<std::uint32_t>(n);
      messages_[m.from].push_back(m);
      any = true;
    }
    if (!any)
      throw ConfigError(config.workload.trace.string() +
                        ": there is no message in it; it must have at least one line below its header.");
    for (auto& of_node : messages_) std::ranges::stable_sort(of_node, {}, &TrafficMessage::created);
  }

  TrafficMessage next(std::uint32_t node) override {
    if (at_[node] == messages_[node].size()) return {Time::max(), node, node, 0};
    return messages_[node][at_[node]++];
  }

 private:
  std::vector<std::vector<TrafficMessage>> messages_;  // by node
  std::vector<std::size_t> at_;
};

}  // namespace

std::unique_ptr<TrafficSource> make_traffic_source(const Config& config, std::uint64_t seed) {
  if (config.workload.traffic == "trace") return std::make_unique<Trace>(config);
  return std::make_unique<Bernoulli>(config, seed);
}

}  // namespace sunstar::traffic
