// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "models/kernel/sc_time_bridge.h"
#include "models/network/cube/cube_network.h"
#include "models/node/node.h"

namespace sunstar::test {

/// Firmware that notes when messages arrive and does with them what the test says.
struct NotingFirmware final : hal::Firmware {
  struct Arrival {
    Time when;
    hal::Message message;
  };
  std::vector<Arrival> arrivals;
  std::function<void(hal::Message&)> then;

  void message_arrived(hal::Message& m) override {
    arrivals.push_back({now(), m});
    if (then) then(m);
  }
  void block_done(hal::BlockCommand&) override {}
};

/// A callback that notes when it was called.
struct NotingCallback final : hal::Callback {
  std::vector<Time> times;
  void run() override { times.push_back(now()); }
};

/// Two nodes on a ring of two routers: a message passes one link. Clocks are exact: 50 MHz, 20 ns a cycle.
struct NodePair {
  static network::CubeParams network_params() {
    network::CubeParams params;
    params.shape = {2};
    params.timing_variation = {};
    return params;
  }
  static node::NodeParams node_params() {
    node::NodeParams params;
    params.clock_variation = 0;
    return params;
  }

  explicit NodePair(const node::NodeParams& params = node_params())
      : network(network::CubeNetwork::create("network", network_params(), 1)) {
    for (std::uint32_t i = 0; i < 2; ++i) {
      node::Node::Setup setup;
      setup.id = i;
      setup.params = params;
      setup.memory_bytes = 1 << 20;
      setup.router_of = &router_of;
      timetables.push_back(std::make_unique<Timetable>(i == 0 ? "near_timetable" : "far_timetable"));
      setup.timetable = timetables.back().get();
      setup.payloads = &payloads;
      nodes.push_back(std::make_unique<node::Node>(i == 0 ? "near" : "far", setup));
      nodes[i]->network_interface.to_network.bind(network->from_node(i));
      network->to_node(i).bind(nodes[i]->network_interface.from_network);
      nodes[i]->boot(firmware[i]);
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaboration
  }
  /// As firmware sees them.
  hal::Node& near() { return *nodes[0]; }
  hal::Node& far() { return *nodes[1]; }

  std::vector<std::uint32_t> router_of{0, 1};
  PayloadPool payloads;
  std::unique_ptr<network::CubeNetwork> network;
  std::vector<std::unique_ptr<Timetable>> timetables;
  std::vector<std::unique_ptr<node::Node>> nodes;
  NotingFirmware firmware[2];
};

}  // namespace sunstar::test
