// SPDX-License-Identifier: MIT
#include "models/network/worm_network.h"

#include <algorithm>
#include <cmath>

#include "models/core/sc_time_bridge.h"

namespace sunstar::network {

WormNetwork::WormNetwork(const sc_core::sc_module_name& name, const NetworkParams& params, std::uint64_t seed, Timetable* timetable)
    : Network(name, params, seed, timetable),
      core_(cube(), {params.router_delay, params.link_bandwidth, static_cast<std::uint32_t>(params.router_buffer.count), params.router.cycle},
            vc_class_rule(params.router.vc_class_rule)),
      sending_(cube().routers()) {}

// A worm reserves its whole path when it starts, so it must not do so before the one before it has left the node:
// channels that it cannot use yet would stand idle for everybody else.
void WormNetwork::inject(Message message) {
  const std::uint32_t from = message.route->from;
  if (!sending_[from].empty() || core_.free_at(cube().injection(from)) > now()) {
    sending_[from].push_back(message);
    show_leaving(from);
    if (sending_[from].size() == 1) call_at(core_.free_at(cube().injection(from)), from);
    return;
  }
  start(message);
}

void WormNetwork::start_next(std::uint32_t from) {
  auto& queue = sending_[from];
  const Message message = queue.front();
  queue.pop_front();
  show_leaving(from);
  start(message);
  if (!queue.empty()) call_at(core_.free_at(cube().injection(from)), from);
}

void WormNetwork::start(Message message) {
  Route& route = *message.route;
  const auto passage = core_.inject(route.from, route.to, route.bytes, now(), random_.next());
  route.hops = passage.hops;
  route.ticket = passage.ticket;
  route.entered = now();
  count(message);
  arrives(message, passage.tail);
}

void WormNetwork::show_leaving(std::uint32_t router) {
  if (waves_) waves_->change(shown_leaving_[router], now(), static_cast<int>(sending_[router].size()));
}

void WormNetwork::trace(WaveFile& waves) {
  const std::string prefix = std::string(name()) + ".";
  std::vector<WaveFile::Signal> messages;
  for (std::uint32_t c = 0; c < cube().channels(); ++c) messages.push_back(waves.number(prefix + cube().channel_name(c)));
  Network::trace(waves);
  for (std::uint32_t r = 0; r < cube().routers(); ++r)
    shown_leaving_.push_back(waves.number(prefix + "router" + std::to_string(r) + ".leaving"));
  core_.observe([&waves, messages](std::uint32_t channel, Time start, Time end) {
    waves.step(messages[channel], start, 1);
    waves.step(messages[channel], end, -1);
  });
}

std::vector<std::string> WormNetwork::warnings() const {
  double most = 0;
  std::uint32_t busiest = 0, beyond = 0;
  for (std::uint32_t c = 0; c < cube().channels(); ++c) {
    if (!cube().is_link(c)) continue;
    const double share = utilisation(c);
    beyond += share > WormCore::good_utilisation;
    if (share > most) {
      most = share;
      busiest = c;
    }
  }
  if (beyond == 0) return {};
  const auto percent = [](double share) { return std::to_string(std::lround(100 * share)) + " %"; };
  return {"the worm model is good for links that are busy up to " + percent(WormCore::good_utilisation) + " of the time; " +
          std::to_string(beyond) + (beyond == 1 ? " link was" : " links were") + " busier, " + cube().channel_name(busiest) + " most with " +
          percent(most) + ": see machine.network.model=flit"};
}

}  // namespace sunstar::network
