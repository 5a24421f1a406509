// SPDX-License-Identifier: MIT
#include "models/network/cube/worm_network.h"

#include <cmath>

namespace sunstar::network {

WormNetwork::WormNetwork(const sc_core::sc_module_name& name, const CubeParams& params, std::uint64_t seed,
                         Timetable* timetable)
    : CubeNetwork(name, params, seed, timetable),
      WormTraffic(*this, core_),
      core_(cube(),
            {params.router_delay, params.link_bandwidth, static_cast<std::uint32_t>(params.router_buffer.count),
             params.router.cycle},
            vc_class_rule(params.router.vc_class_rule)) {}

void WormNetwork::describe_waiting(std::vector<std::string>& lines) const {
  WormTraffic::describe_waiting(lines);
  CubeNetwork::describe_waiting(lines);
}

void WormNetwork::show(WaveFile& waves) {
  const std::string prefix = std::string(name()) + ".";
  std::vector<WaveFile::Signal> messages;
  for (std::uint32_t c = 0; c < cube().channels(); ++c)
    messages.push_back(waves.number(prefix + cube().channel_name(c)));
  CubeNetwork::show(waves);
  WormTraffic::show(waves);
  core_.observe(
      [&waves, messages](std::uint32_t channel, Time when, int by) { waves.step(messages[channel], when, by); });
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
  return {"the worm model is good for links that are busy up to " + percent(WormCore::good_utilisation) +
          " of the time; " + std::to_string(beyond) + (beyond == 1 ? " link was" : " links were") + " busier, " +
          cube().channel_name(busiest) + " most with " + percent(most) + ": see machine.network.model=flit"};
}

}  // namespace sunstar::network
