// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <deque>
#include <systemc>
#include <tlm>

#include "models/kernel/content_extension.h"
#include "models/kernel/timed_module.h"
#include "models/node/hal.h"

namespace sunstar::node {

/// Copies memory to memory over the node bus, one move after the other, and interrupts the processor at the end of each
/// (`done`).
class DmaEngine : public TimedModule {
 public:
  /// What the processor writes to the start register.
  struct Descriptor {
    std::uint64_t to, from, bytes;
    hal::Callback* done;
  };

  tlm_utils::passthrough_target_socket<DmaEngine> registers;
  tlm_utils::simple_initiator_socket<DmaEngine> dma;

  explicit DmaEngine(const sc_core::sc_module_name& name);

 private:
  void access(tlm::tlm_generic_payload&, sc_core::sc_time&);
  void finish();

  struct Move {
    Time end;
    hal::Callback* done;
  };
  std::deque<Move> moves_;
  ContentPayload payload_;
  sc_core::sc_event end_event_;
};

}  // namespace sunstar::node
