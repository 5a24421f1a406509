// SPDX-License-Identifier: MIT
#include "models/network/worm/worm_fabric.h"

namespace sunstar::network {

WormFabric::WormFabric(const sc_core::sc_module_name& name, const FabricParams& params, std::uint64_t seed,
                       Timetable* timetable, Queues queues, const Timing& timing)
    : Fabric(name, params, seed, timetable),
      WormTraffic(*this, core_, timing.node_cable),
      queues_(queues),
      core_(params.channels, {.router_delay = timing.hop,
                              .link_bandwidth = params.port_bandwidth,
                              .buffer_bytes = static_cast<std::uint32_t>(timing.buffer.count),
                              .turnaround = in_order() ? params.port_bandwidth.time_for(1) : Duration{},
                              .credits = true,
                              .step_by_step = timing.step_by_step || in_order(),
                              .in_order = in_order()}) {}

void WormFabric::describe_waiting(std::vector<std::string>& lines) const {
  WormTraffic::describe_waiting(lines);
  Fabric::describe_waiting(lines);
}

void WormFabric::add_statistics(StatisticSet& set) {
  Fabric::add_statistics(set);
  for (const Link& link : links())
    add_utilisation(set, link.name + "_utilisation", "share of time for which bytes passed the channel", link.channel);
}

std::vector<std::string> WormFabric::warnings() const {
  if (!in_order()) return {};
  return WormTraffic::warnings(WormCore::good_step_by_step, "docs/validation.md");
}

void WormFabric::show(WaveFile& waves) {
  std::vector<WaveFile::Signal> messages;
  for (const Link& link : links()) {
    messages.resize(std::max<std::size_t>(messages.size(), link.channel + 1), WaveFile::unseen);
    messages[link.channel] = waves.number(std::string(name()) + "." + link.name);
  }
  Fabric::show(waves);
  WormTraffic::show(waves);
  core_.observe(
      [&waves, messages](std::uint32_t channel, Time when, int by) { waves.step(messages[channel], when, by); });
}

// A node has a queue for each receiver and sends to the receiver that is ready first: otherwise a long message to a
// busy receiver would hold up messages to others. It looks at as many messages as it may have receivers.
std::size_t WormFabric::next_to_leave(const Fifo<Message>& waiting) const {
  if (in_order()) return 0;
  std::size_t best = 0;
  Duration least = Duration::max();
  for (std::size_t i = 0; i < waiting.size() && i < ports() && least > Duration{}; ++i) {
    const std::uint32_t to = (waiting.begin() + static_cast<std::ptrdiff_t>(i))->route->to;
    if (const Duration load = core_.backlog(ejection(to), now()); load < least) {
      least = load;
      best = i;
    }
  }
  return best;
}

}  // namespace sunstar::network
