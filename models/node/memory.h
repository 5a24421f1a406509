// SPDX-License-Identifier: MIT
#pragma once
#include <sys/mman.h>
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <cassert>

#include "models/core/fifo.h"
#include "models/kernel/payload.h"
#include "models/kernel/timetable.h"
#include "models/node/hal.h"

namespace sunstar::node {

inline std::byte* host_memory(const std::string& name, std::uint64_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    throw ConfigError(name, ": the host cannot map ", bytes,
                      " bytes of memory for this node; use a smaller file or fewer processors");
  return static_cast<std::byte*>(p);
}

/// A node's memory: its content; the node bus models the time of accesses. The host commits a page when bytes are first
/// written there, so a large memory costs only the pages used.
class Memory : public sc_core::sc_module {
 public:
  tlm_utils::passthrough_target_socket<Memory> socket;

  Memory(const sc_core::sc_module_name& name, std::uint64_t bytes)
      : sc_module(name), socket("socket"), content_(host_memory(this->name(), bytes), bytes) {
    socket.register_b_transport(this, &Memory::b_transport);
  }
  ~Memory() override { munmap(content_.base(), content_.size()); }

  /// Takes `bytes` for good, aligned to 64 bytes. Throws ConfigError if the memory is too small.
  std::byte* allocate(std::uint64_t bytes) {
    const std::uint64_t rounded = (bytes + 63) / 64 * 64;
    if (rounded > content_.size() - used_)
      throw ConfigError(name(), ": ", bytes, " bytes are asked for, ", content_.size() - used_, " of ", content_.size(),
                        " are left");
    std::byte* p = content_.base() + used_;
    used_ += rounded;
    return p;
  }

  /// Address on the bus of a byte of this memory.
  std::uint64_t address_of(const std::byte* p) const { return content_.address_of(p); }
  content::Memory& content() { return content_; }
  std::uint64_t allocated() const { return used_; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    const std::uint64_t address = payload.get_address(), length = payload.get_data_length();
    if (address > content_.size() || length > content_.size() - address) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    std::byte* const at = content_.base() + address;
    if (const auto* extension = payload.get_extension<ContentExtension>()) {
      if (payload.is_read()) content_.read(at, payload.get_data_length(), *extension->content);
      if (payload.is_write()) content_.write(at, *extension->content);
    } else {
      content_.bytes(at, length);
      auto* data = reinterpret_cast<std::byte*>(payload.get_data_ptr());
      if (payload.is_read()) std::memcpy(data, at, length);
      if (payload.is_write()) std::memcpy(at, data, length);
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

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

  DmaEngine(const sc_core::sc_module_name& name, Timetable& timetable)
      : sc_module(name), Alarm(timetable), registers("registers"), dma("dma") {
    registers.register_b_transport(this, &DmaEngine::access);
  }

 private:
  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const auto& move = *reinterpret_cast<const Descriptor*>(payload.get_data_ptr());
    content::Content content;
    if (!moves_.empty()) delay = std::max(delay, to_sc(moves_.back().end - now()));
    for (const bool write : {false, true}) {
      auto& transfer =
          payload_.transfer(write, write ? move.to : move.from, content, static_cast<std::uint32_t>(move.bytes));
      dma->b_transport(transfer, delay);
      assert(transfer.is_response_ok());
    }
    moves_.push_back({now() + from_sc(delay), move.done});
    if (moves_.size() == 1) set(now() + from_sc(delay));
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  void ring() override {
    hal::Callback* const done = take_first(moves_).done;
    if (!moves_.empty()) set(moves_.front().end);
    done->run();
  }

  struct Move {
    Time end;
    hal::Callback* done;
  };
  Fifo<Move> moves_;
  ContentPayload payload_;
};

}  // namespace sunstar::node
