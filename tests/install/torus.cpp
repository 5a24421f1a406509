// SPDX-License-Identifier: MIT
// Sunstar's torus between nodes of another project, which pass a token round.
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <iostream>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/kernel/payload_pool.h"
#include "models/kernel/sc_time_bridge.h"
#include "models/network/cube/cube_network.h"

using namespace sunstar;

struct MyNode : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<MyNode> to_network{"to_network"};
  tlm_utils::passthrough_target_socket<MyNode> from_network{"from_network"};
  std::uint32_t place, next;  // ports of the torus
  PayloadPool& payloads;
  unsigned received = 0;

  MyNode(sc_core::sc_module_name name, std::uint32_t at, std::uint32_t to, PayloadPool& pool)
      : sc_module(name), place(at), next(to), payloads(pool) {
    from_network.register_nb_transport_fw(this, &MyNode::arrived);
  }

  // A message of 1 KiB leaves now.
  void send() {
    tlm::tlm_generic_payload& message = payloads.acquire();
    auto* route = message.get_extension<network::Route>();
    if (!route) message.set_extension(route = new network::Route);
    route->from = place;
    route->to = next;
    route->bytes = 1024;
    message.set_data_length(1024);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    to_network->nb_transport_fw(message, phase, delay);
  }

  tlm::tlm_sync_enum arrived(tlm::tlm_generic_payload& message, tlm::tlm_phase&, sc_core::sc_time&) {
    tlm::tlm_phase taken = tlm::END_REQ;  // out of the input FIFO at once
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    from_network->nb_transport_bw(message, taken, delay);
    message.release();
    ++received;
    if (place != 0) send();
    return tlm::TLM_ACCEPTED;
  }
};

int sc_main(int, char**) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  network::CubeParams params;
  params.shape = {4, 4};
  params.timing_variation = Duration{0};
  const auto torus = network::CubeNetwork::create("torus", params, 1);
  const std::uint32_t ports = torus->ports();

  PayloadPool payloads;
  std::vector<std::unique_ptr<MyNode>> nodes;
  for (std::uint32_t i = 0; i < ports; ++i) {
    nodes.push_back(std::make_unique<MyNode>(("node" + std::to_string(i)).c_str(), i, (i + 1) % ports, payloads));
    nodes[i]->to_network.bind(torus->from_node[i]);
    torus->to_node[i].bind(nodes[i]->from_network);
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  nodes[0]->send();
  sc_core::sc_start();
  std::cout << "a token of 1024 bytes round " << ports << " nodes: " << sc_core::sc_time_stamp() << "\n";
  return nodes[0]->received == 1 ? 0 : 1;
}
