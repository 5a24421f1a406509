// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "models/core/fifo.h"
#include "models/kernel/payload.h"
#include "models/kernel/timetable.h"
#include "models/node/hal.h"

namespace sunstar::node {

/// A node's memory: its content; the node bus models the time of accesses. The host commits a page when bytes are first
/// written there, so a large memory costs only the pages used.
class Memory : public sc_core::sc_module {
 public:
  tlm_utils::passthrough_target_socket<Memory> socket;

  Memory(const sc_core::sc_module_name& name, std::uint64_t bytes);
  ~Memory() override;

  /// Takes `bytes` for good, aligned to 64 bytes. Throws ConfigError if the memory is too small.
  std::byte* allocate(std::uint64_t bytes);
  /// Address on the bus of a byte of this memory.
  std::uint64_t address_of(const std::byte* p) const { return content_.address_of(p); }
  content::Memory& content() { return content_; }
  std::uint64_t allocated() const { return used_; }

 private:
  void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&);

  content::Memory content_;
  std::uint64_t used_ = 0;
};

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
