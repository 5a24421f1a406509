// SPDX-License-Identifier: MIT
#include "models/node/bus_monitor.h"

#include "models/node/address_map.h"

namespace sunstar::node {

BusMonitor::BusMonitor(const sc_core::sc_module_name& name)
    : sc_module(name), from_master("from_master"), to_bus("to_bus") {
  from_master.register_b_transport(this, &BusMonitor::b_transport);
}

void BusMonitor::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const bool memory = payload.get_address() < device_base;
  const std::uint64_t bytes = payload.get_data_length();
  to_bus->b_transport(payload, delay);
  if (!payload.is_response_ok()) return;
  if (memory) bytes_ += bytes;
  else ++register_accesses_;
}

}  // namespace sunstar::node
