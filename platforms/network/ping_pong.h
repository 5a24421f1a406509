// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/network/run.h"

namespace sunstar::traffic {

/// Measures what a message costs two programs, as the OSU micro-benchmarks do: they send a message to and fro, which
/// gives the latency of one way; then one sends windows of messages one behind the other, and waits after each for a
/// short answer, which gives the bandwidth. The programs run on whole nodes, with a library for messages between them
/// and the interface (node::LibraryParams).
Trial run_ping_pong(const Config& config, std::uint32_t trial, const kit::Watch& watch);

/// The network between them, in a module that is never destroyed.
const network::Fabric& ping_pong_network(const Config& config);

}  // namespace sunstar::traffic
