// SPDX-License-Identifier: MIT
#include "platforms/network/source.h"

#include "platforms/network/bernoulli.h"
#include "platforms/network/message_trace.h"

namespace sunstar::traffic {

std::unique_ptr<Source> make_source(const Config& config, std::uint64_t seed) {
  const network::Fabrics& fabric = config.machine.network.kind;
  const network::Places places = network::places(fabric);
  if (const auto* trace = config.workload.kind.if_is<TraceParams>())
    return std::make_unique<MessageTrace>(*trace, places);
  return std::make_unique<Bernoulli>(config.workload.kind.as<SyntheticParams>(), config.workload.packet_flits, places,
                                     network::pace(fabric), seed);
}

}  // namespace sunstar::traffic
