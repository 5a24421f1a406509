// SPDX-License-Identifier: MIT
#include "models/network/cube/cube_network.h"

#include <algorithm>

#include "models/kernel/sc_time_bridge.h"

namespace sunstar::network {

CubeNetwork::CubeNetwork(const sc_core::sc_module_name& name, const CubeParams& params, std::uint64_t seed,
                         Timetable* timetable)
    : Fabric(name,
             {Cube(params.shape.sizes()).routers(), params.input_fifo, params.timing_variation, params.link_bandwidth},
             seed, timetable),
      cube_(params.shape.sizes(), params.topology),
      busy_before_(cube_.channels()) {}

double CubeNetwork::utilisation(std::uint32_t channel) const {
  const Duration span = now() - counted_from_;
  // A worm's whole length counts when it reserves a channel, so in a short span a channel may be reserved for longer
  // than the span.
  return span == Duration{} ? 0.0 : std::min(seconds(busy(channel) - busy_before_[channel]) / seconds(span), 1.0);
}

void CubeNetwork::add_statistics(StatisticSet& set) {
  Fabric::add_statistics(set);
  const std::string prefix = name();
  set.add({prefix + ".busiest_channel", "share of time bytes passed the busiest channel", "fraction",
           [this] {
             double most = 0;
             for (std::uint32_t c = 0; c < cube_.channels(); ++c) most = std::max(most, utilisation(c));
             return most;
           },
           [this] {
             counted_from_ = now();
             for (std::uint32_t c = 0; c < cube_.channels(); ++c) busy_before_[c] = busy(c);
           }});
  for (std::uint32_t c = 0; c < cube_.channels(); ++c) {
    const bool terminal = c == cube_.injection(cube_.router_of(c)) || c == cube_.ejection(cube_.router_of(c));
    if (!terminal && !cube_.is_link(c)) continue;
    set.add({prefix + "." + cube_.channel_name(c) + "_utilisation", "share of time bytes passed the channel",
             "fraction", [this, c] { return utilisation(c); }});
  }
}

}  // namespace sunstar::network
