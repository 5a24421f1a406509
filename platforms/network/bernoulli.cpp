// SPDX-License-Identifier: MIT
#include "platforms/network/bernoulli.h"

#include <cmath>
#include <string>

namespace sunstar::traffic {

Bernoulli::Bernoulli(const SyntheticParams& params, std::uint32_t packet_flits, const network::Places& places,
                     const network::Pace& pace, std::uint64_t seed)
    : pattern_(traffic::pattern(params.pattern)),
      pattern_params_{places.shape, params.hotspot, params.hotspot_share},
      flit_time_(pace.flit_time),
      bytes_(static_cast<std::uint32_t>(packet_flits * pace.flit.count)) {
  const double chance = params.load / packet_flits;
  log_not_ = chance < 1 ? std::log1p(-chance) : 0;
  nodes_.reserve(places.ports());
  for (std::uint32_t n = 0; n < places.ports(); ++n)
    nodes_.push_back({RandomStream(seed, "traffic " + std::to_string(n)), -1});
}

Message Bernoulli::next(std::uint32_t node) {
  Node& n = nodes_[node];
  // The number of flit times without a message is geometrically distributed.
  n.last += 1;
  if (log_not_ < 0) n.last += static_cast<std::int64_t>(std::log1p(-n.random.uniform()) / log_not_);
  return {Time{n.last * flit_time_}, node, pattern_.destination(node, pattern_params_, n.random), bytes_};
}

}  // namespace sunstar::traffic
