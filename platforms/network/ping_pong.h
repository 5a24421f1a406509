// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/network/run.h"

namespace sunstar::traffic {

/// Measures the cost of a message between two programs, as the OSU micro-benchmarks do: they send a message to and fro,
/// which gives the latency of one way; then one sends windows of messages in a row, and waits after each window for a
/// short answer, which gives the bandwidth. The programs run on whole nodes, with a library for messages between them
/// and the interface (node::LibraryParams).
Trial run_ping_pong(const Config& config, std::uint32_t trial, const kit::Watch& watch);

/// The network between them, in a module that is never destroyed.
const network::Fabric& ping_pong_network(const Config& config);

}  // namespace sunstar::traffic
