// SPDX-License-Identifier: MIT
#include "models/node/memory.h"

#include <sys/mman.h>

#include <cstring>

#include "models/core/error.h"

namespace sunstar::node {

Memory::Memory(const sc_core::sc_module_name& name, std::uint64_t bytes)
    : sc_module(name), socket("socket"), size_(bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    throw ConfigError(std::string(this->name()) + ": the host cannot map " + std::to_string(bytes) +
                      " bytes of memory for this node; use a smaller file or fewer processors");
  base_ = static_cast<std::byte*>(p);
  socket.register_b_transport(this, &Memory::b_transport);
}

Memory::~Memory() { munmap(base_, size_); }

std::byte* Memory::allocate(std::uint64_t bytes) {
  const std::uint64_t rounded = (bytes + 63) / 64 * 64;
  if (rounded > size_ - used_)
    throw ConfigError(std::string(name()) + ": " + std::to_string(bytes) + " bytes are asked for, " +
                      std::to_string(size_ - used_) + " of " + std::to_string(size_) + " are left");
  std::byte* p = base_ + used_;
  used_ += rounded;
  return p;
}

void Memory::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  const std::uint64_t address = payload.get_address(), length = payload.get_data_length();
  if (address > size_ || length > size_ - address) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  auto* data = reinterpret_cast<std::byte*>(payload.get_data_ptr());
  if (payload.is_read()) std::memcpy(data, base_ + address, length);
  if (payload.is_write()) std::memcpy(base_ + address, data, length);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace sunstar::node
