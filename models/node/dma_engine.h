// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "models/core/fifo.h"
#include "models/kernel/content_extension.h"
#include "models/kernel/timetable.h"
#include "models/node/hal.h"

namespace sunstar::node {

/// Copies memory to memory over the node bus, one move after the other; the end of each interrupts the processor
/// (`done`).
class DmaEngine : public sc_core::sc_module, private Timetable::Alarm {
 public:
  /// The processor writes it to the start register.
  struct Descriptor {
    std::uint64_t to, from, bytes;
    hal::Callback* done;
  };

  tlm_utils::passthrough_target_socket<DmaEngine> registers;
  tlm_utils::simple_initiator_socket<DmaEngine> dma;

  DmaEngine(const sc_core::sc_module_name& name, Timetable& timetable);

 private:
  void access(tlm::tlm_generic_payload&, sc_core::sc_time&);
  void ring() override;

  struct Move {
    Time end;
    hal::Callback* done;
  };
  Fifo<Move> moves_;
  ContentPayload payload_;
};

}  // namespace sunstar::node
