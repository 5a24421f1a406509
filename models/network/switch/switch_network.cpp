// SPDX-License-Identifier: MIT
#include "models/network/switch/switch_network.h"

#include "models/kernel/sc_time_bridge.h"

namespace sunstar::network {

SwitchNetwork::SwitchNetwork(const sc_core::sc_module_name& name, const SwitchParams& params, std::uint64_t seed,
                             Timetable* timetable)
    : Fabric(name, {params.ports, params.input_fifo, params.timing_variation, params.port_bandwidth, params.ports},
             seed, timetable),
      core_(params),
      sending_(params.ports) {}

// The link to a receiver goes to messages in the order in which they start, so none may start before it leaves its
// port.
void SwitchNetwork::inject(Message message) {
  const std::uint32_t from = message.route->from;
  auto& queue = sending_[from];
  if (queue.empty() && core_.link_free(from) <= now()) {
    start(message);
    return;
  }
  queue.push_back(message);
  ++sending_count_;
  show_leaving(from);
  if (queue.size() == 1) call_at(core_.link_free(from), from);
}

void SwitchNetwork::called(std::uint32_t from) {
  auto& queue = sending_[from];
  const Message message = queue.front();
  queue.pop_front();
  --sending_count_;
  show_leaving(from);
  start(message);
  if (!queue.empty()) call_at(core_.link_free(from), from);
}

void SwitchNetwork::start(Message message) {
  Route& route = *message.route;
  route.hops = core_.chips(route.from, route.to) + 1;
  route.entered = now();
  count(message);
  const Duration before = core_.busy(route.to);
  const Time tail = core_.send(now(), route.from, route.to, route.bytes);
  if (waves_) {
    waves_->change(shown_output_[route.to], tail - (core_.busy(route.to) - before), static_cast<int>(route.from));
    waves_->change(shown_output_[route.to], tail, -1);
  }
  arrives(message, tail);
}

void SwitchNetwork::show_leaving(std::uint32_t port) {
  if (waves_) waves_->change(shown_leaving_[port], now(), static_cast<int>(sending_[port].size()));
}

void SwitchNetwork::show(WaveFile& waves) {
  Fabric::show(waves);
  for (std::uint32_t port = 0; port < ports(); ++port) {
    const std::string prefix = std::string(name()) + "." + port_name(port);
    shown_leaving_.push_back(waves.number(prefix + ".leaving"));
    shown_output_.push_back(waves.number(prefix + ".output", -1));
  }
}

void SwitchNetwork::add_statistics(StatisticSet& set) {
  Fabric::add_statistics(set);
  for (std::uint32_t port = 0; port < ports(); ++port)
    add_utilisation(set, port_name(port) + ".utilisation",
                    "share of time bytes passed the link from the switch to this port", port);
}

std::vector<Fabric::Link> SwitchNetwork::links() const {
  std::vector<Link> all;
  for (std::uint32_t port = 0; port < ports(); ++port)
    all.push_back({port_name(port), "switch", port_name(port), port});
  return all;
}

std::unique_ptr<Fabric> make(const SwitchParams& params, const sc_core::sc_module_name& name, std::uint64_t seed,
                             Timetable* timetable) {
  return std::make_unique<SwitchNetwork>(name, params, seed, timetable);
}

}  // namespace sunstar::network
