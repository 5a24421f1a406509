// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <cstdint>
#include <systemc>
#include <tlm>

namespace sunstar::node {

/// Sits between a master and the node bus and counts the bytes to and from memory and the register accesses. Adds no
/// time.
class BusMonitor : public sc_core::sc_module {
 public:
  tlm_utils::passthrough_target_socket<BusMonitor> from_master;
  tlm_utils::simple_initiator_socket<BusMonitor> to_bus;

  explicit BusMonitor(const sc_core::sc_module_name& name);

  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t register_accesses() const { return register_accesses_; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  std::uint64_t bytes_ = 0, register_accesses_ = 0;
};

}  // namespace sunstar::node
