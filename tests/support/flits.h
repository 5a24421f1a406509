// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <vector>

#include "models/core/random.h"
#include "models/network/cube/flit_core.h"

namespace sunstar::network {

inline bool consistent(const FlitCore& core) {
  // Every place of every buffer is a credit at its sender, a flit in the buffer, or a flit or credit under way.
  std::vector<std::uint32_t> places(core.outputs_.size());
  std::uint64_t inside = 0;
  for (std::uint32_t o = 0; o < places.size(); ++o) {
    places[o] = core.outputs_[o].credits;
    if (const std::uint32_t there = core.outputs_[o].downstream; there != FlitCore::nobody) {
      places[o] += core.inputs_[there].count;
      inside += core.inputs_[there].count;
    }
  }
  for (const FlitCore::Moment& m : core.wheel_) {
    for (const FlitCore::FlitEvent& e : m.flits) ++places[core.inputs_[e.where].upstream];
    for (const std::uint32_t o : m.credits) ++places[o];
    inside += m.flits.size() + m.out.size();
  }
  for (const std::uint32_t all : places)
    if (all != core.depth_) return false;
  return inside == core.flits_sent_ - core.flits_delivered_;
}

}  // namespace sunstar::network

namespace sunstar::test {

/// Runs a flit core with packets that carry numbers, and keeps what arrived.
struct FlitRig {
  using Cycle = network::FlitCore::Cycle;
  struct Sent {
    std::uint32_t from, to, flits;
    Cycle created, arrived = network::FlitCore::never;
    std::uint32_t hops = 0;
  };

  explicit FlitRig(const network::Cube& cube, const network::RouterParams& params = {}, std::uint32_t flit_cycles = 1)
      : core(cube, params, flit_cycles) {}

  void send(std::uint32_t from, std::uint32_t to, std::uint32_t flits, std::uint64_t random = 0,
            std::uint32_t forced = 0) {
    core.send({from, to, flits, core.flit_cycles(), random, packets.size(), forced});
    packets.push_back({from, to, flits, core.now()});
  }
  void step() {
    const Cycle c = core.now();
    core.step();
    for (const auto& a : core.arrivals()) {
      Sent& p = packets[a.tag];
      twice += p.arrived != network::FlitCore::never;
      p.arrived = c;
      p.hops = a.hops;
      order.push_back(a.tag);
    }
  }
  /// Until everything has arrived or nothing moves any more.
  void run() {
    while (core.next() != network::FlitCore::never) {
      core.skip_to(core.next());
      step();
    }
  }

  network::FlitCore core;
  std::vector<Sent> packets;
  std::vector<std::uint64_t> order;  ///< numbers of packets as they arrived
  int twice = 0;
};

inline network::RouterParams router(std::uint32_t buffer_flits, std::uint32_t virtual_channels = 2,
                                    const char* rule = "static") {
  network::RouterParams params;
  params.buffer_flits = buffer_flits;
  params.virtual_channels = virtual_channels;
  params.vc_class_rule = rule;
  return params;
}

}  // namespace sunstar::test
