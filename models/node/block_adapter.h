// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "models/core/statistics.h"
#include "models/node/hal.h"

namespace sunstar::node {

/// What connects a node with drives: registers on the node bus, DMA between memory and drives, an interrupt at the end
/// of each command. The class derived from it knows the drives' protocol.
class BlockAdapter : public sc_core::sc_module {
 public:
  /// What the processor writes to the command register.
  struct Descriptor {
    hal::BlockCommand* command;
    std::uint32_t target;
    std::uint64_t data_address;
  };

  tlm_utils::passthrough_target_socket<BlockAdapter> registers;
  tlm_utils::simple_initiator_socket<BlockAdapter> dma;

  /// When the last byte of the writes completed so far is on its medium.
  virtual Time on_medium() const = 0;
  virtual void add_statistics(StatisticSet& set) = 0;

 protected:
  explicit BlockAdapter(const sc_core::sc_module_name& name) : sc_module(name), registers("registers"), dma("dma") {
    registers.register_b_transport(this, &BlockAdapter::access);
  }
  virtual void access(tlm::tlm_generic_payload&, sc_core::sc_time&) = 0;
};

}  // namespace sunstar::node
