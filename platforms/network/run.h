// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "platforms/kit/results/document.h"
#include "platforms/kit/run/watch.h"
#include "platforms/network/config.h"
#include "platforms/network/result.h"

namespace sunstar::traffic {

using Trial = kit::Trial<Result, HostFigures>;

/// One trial on the network alone: warm-up, measurement and drain, or a trace of messages until the last one has
/// arrived. Throws SimulationError for a deadlock, and for messages that get lost, arrive twice or at the wrong node.
Trial run_trial(const Config& config, std::uint32_t trial, const kit::Watch& watch = {});

/// Builds the network and reads the trace of messages; throws if something is wrong with them.
void check_run(const Config& config);

/// The parts of the network, as {network}; see kit/structure/network.h. Builds it as check_run() does.
kit::json::object structure(const Config& config);

/// Measures the cost of a message between two programs, as the OSU micro-benchmarks do: they send a message to and fro,
/// which gives the latency of one way; then one sends windows of messages in a row, and waits after each window for a
/// short answer, which gives the bandwidth. The programs run on whole nodes, with a library for messages between them
/// and the interface (node::LibraryParams).
Trial run_ping_pong(const Config& config, std::uint32_t trial, const kit::Watch& watch);

/// The network between them, in a module that is never destroyed.
const network::Fabric& ping_pong_network(const Config& config);

}  // namespace sunstar::traffic
