// SPDX-License-Identifier: MIT
// The memory allocator of the counted firmware: lists of free blocks by size, as small systems have them. The C
// library's own would now and then tidy up what the simulation has left behind, and the firmware would be charged.
#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "sw/os/counted.h"

namespace {

constexpr std::size_t grain = 64, shelves = 256, header = 16;

struct Block {
  std::size_t shelf;  ///< by size; `shelves` for a larger block
  Block* next;
};
std::array<Block*, shelves> kept;  // free blocks by shelf

[[gnu::noinline]] Block* new_block(std::size_t shelf, std::size_t bytes) {
  auto* const block = static_cast<Block*>(std::malloc(shelf < shelves ? (shelf + 1) * grain : bytes));
  if (!block) throw std::bad_alloc();
  block->shelf = shelf;
  return block;
}

}  // namespace

void* operator new(std::size_t bytes) {
  bytes += header;
  std::size_t shelf = (bytes - 1) / grain;
  Block* block = nullptr;
  if (shelf < shelves) block = kept[shelf];
  else shelf = shelves;
  if (block) {
    kept[shelf] = block->next;
  } else {
    const sunstar::os::NotOnTheMachine mark;
    block = new_block(shelf, bytes);
  }
  return reinterpret_cast<std::byte*>(block) + header;
}

void operator delete(void* p) noexcept {
  if (!p) return;
  auto* const block = reinterpret_cast<Block*>(static_cast<std::byte*>(p) - header);
  if (block->shelf == shelves) {
    const sunstar::os::NotOnTheMachine mark;
    std::free(block);
    return;
  }
  block->next = kept[block->shelf];
  kept[block->shelf] = block;
}
void operator delete(void* p, std::size_t) noexcept { operator delete(p); }
