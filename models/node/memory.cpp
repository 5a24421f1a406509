// SPDX-License-Identifier: MIT
#include "models/node/memory.h"

#include <sys/mman.h>
#include <cassert>

namespace sunstar::node {

namespace {
std::byte* host_memory(const std::string& name, std::uint64_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    throw ConfigError(name + ": the host cannot map " + std::to_string(bytes) +
                      " bytes of memory for this node; use a smaller file or fewer processors");
  return static_cast<std::byte*>(p);
}
}  // namespace

Memory::Memory(const sc_core::sc_module_name& name, std::uint64_t bytes)
    : sc_module(name), socket("socket"), content_(host_memory(this->name(), bytes), bytes) {
  socket.register_b_transport(this, &Memory::b_transport);
}

Memory::~Memory() { munmap(content_.base(), content_.size()); }

std::byte* Memory::allocate(std::uint64_t bytes) {
  const std::uint64_t rounded = (bytes + 63) / 64 * 64;
  if (rounded > content_.size() - used_)
    throw ConfigError(std::string(name()) + ": " + std::to_string(bytes) + " bytes are asked for, " +
                      std::to_string(content_.size() - used_) + " of " + std::to_string(content_.size()) + " are left");
  std::byte* p = content_.base() + used_;
  used_ += rounded;
  return p;
}

void Memory::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
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

DmaEngine::DmaEngine(const sc_core::sc_module_name& name, Timetable& timetable)
    : sc_module(name), Alarm(timetable), registers("registers"), dma("dma") {
  registers.register_b_transport(this, &DmaEngine::access);
}

void DmaEngine::access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
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

void DmaEngine::ring() {
  hal::Callback* done = moves_.front().done;
  moves_.pop_front();
  if (!moves_.empty()) set(moves_.front().end);
  done->run();
}

}  // namespace sunstar::node
