// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "platforms/torus/experiment.h"

namespace sunstar::traffic {

/// One trial of synthetic traffic on the network alone: warm-up, the cycles whose messages are measured, drain. Throws
/// SimulationError for a deadlock, and for messages that get lost, arrive twice or at the wrong node.
json::object run_traffic(const Config& config, std::uint32_t trial, const Watch& watch = {});

/// Builds the network and reads the trace of messages; throws what is wrong with them.
void check_traffic(const Config& config);

/// What a result file holds below the effective configuration: means over the trials under "result", each trial under
/// "trials".
json::object report_traffic(std::vector<json::object> trials);

}  // namespace sunstar::traffic
