// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <cstdint>
#include <systemc>
#include <tlm>

#include "models/node/address_map.h"

namespace sunstar::node {

/// Sits between a master and the node bus and counts the bytes to and from memory. Adds no time.
class BusMonitor : public sc_core::sc_module {
 public:
  tlm_utils::passthrough_target_socket<BusMonitor> from_master{"from_master"};
  tlm_utils::simple_initiator_socket<BusMonitor> to_bus{"to_bus"};

  explicit BusMonitor(const sc_core::sc_module_name& name) : sc_module(name) {
    from_master.register_b_transport(this, &BusMonitor::b_transport);
  }

  std::uint64_t bytes() const { return bytes_; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const bool memory = payload.get_address() < device_base;
    const std::uint64_t bytes = payload.get_data_length();
    to_bus->b_transport(payload, delay);
    if (memory && payload.is_response_ok()) bytes_ += bytes;
  }

  std::uint64_t bytes_ = 0;
};

}  // namespace sunstar::node
