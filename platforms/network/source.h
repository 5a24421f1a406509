// SPDX-License-Identifier: MIT
#pragma once
#include <memory>

#include "platforms/torus/config.h"
#include "platforms/network/terminals.h"

namespace sunstar::traffic {

/// The messages that the configuration asks for: of a pattern, by a Bernoulli process in each node whose mean is
/// workload.load, without end; or of a trace. Throws ConfigError for a trace that cannot be read.
std::unique_ptr<TrafficSource> make_traffic_source(const Config& config, std::uint64_t seed);

}  // namespace sunstar::traffic
