// SPDX-License-Identifier: MIT
#include "platforms/disk/free_node.h"

#include <sys/mman.h>

#include <cassert>

#include "models/core/error.h"

namespace sunstar::disk_platform {
namespace {

constexpr std::uint64_t room = std::uint64_t{1} << 36;  // of addresses: nothing is ever stored there

std::byte* addresses() {
  void* const p = mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw SimulationError("the host has no room for the addresses of a node's memory");
  return static_cast<std::byte*>(p);
}

}  // namespace

FreeNode::FreeNode(std::vector<hal::BlockDevice*> devices) : devices_(std::move(devices)), memory_(addresses(), room) {}

FreeNode::~FreeNode() { munmap(memory_.base(), room); }

void FreeNode::call_next() {
  assert(!due_.empty());
  const Due next = due_.top();
  due_.pop();
  now_ = next.at;
  next.callback->run();
}

void FreeNode::run_until(Time t) {
  while (due() < t) call_next();
  now_ = t;
}

std::byte* FreeNode::allocate(std::uint64_t bytes) {
  if (bytes > room) throw SimulationError("a request needs " + std::to_string(bytes) + " bytes of memory");
  if (bytes > zeros_) {
    memory_.clear(memory_.base() + zeros_, bytes - zeros_);
    zeros_ = bytes;
  }
  return memory_.base();
}

}  // namespace sunstar::disk_platform
