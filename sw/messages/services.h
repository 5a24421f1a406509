// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

#include "sw/os/os.h"

// The message handlers that every node has: replies, remote memory, barriers. File systems number theirs from
// `first_own_handler` on.
namespace sunstar::os {

enum CommonHandler : std::uint16_t {
  reply_handler,
  memput_handler,
  memget_handler,
  barrier_arrive_handler,
  barrier_release_handler,
  first_own_handler
};

template <class T>
std::uint64_t to_word(T* p) {
  return reinterpret_cast<std::uint64_t>(p);
}
template <class T>
T* from_word(std::uint64_t w) {
  return reinterpret_cast<T*>(w);
}

/// Registers the reply handler: data go where the reply action says, then its threads wake.
void install_replies(Os& os);

/// Composes the reply to `request`, whose last two words are an offset and the address of the reply action.
hal::Message reply_to(const hal::Message& request, std::byte* data = nullptr, std::uint32_t bytes = 0);

/// The buffer that a compute processor offers to Memput and Memget. I/O processors speak of offsets in it only.
struct RemoteMemory {
  std::byte* base = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t put_bytes = 0, got_bytes = 0;  ///< moved so far
};

/// Registers the handlers of Memput and Memget on `memory`, which must outlive the node's executive.
void install_remote_memory(Os& os, RemoteMemory& memory);

/// A request to write `bytes` at `data` into the far node's buffer at `offset`; answered by an acknowledgement.
hal::Message memput(hal::NodeId to, std::uint64_t offset, std::byte* data, std::uint32_t bytes, ReplyAction& action);
/// A request for `bytes` of the far node's buffer at `offset`; answered by a reply that carries them to `at` bytes from
/// the action's destination.
hal::Message memget(hal::NodeId to, std::uint64_t offset, std::uint32_t bytes, ReplyAction& action,
                    std::uint64_t at = 0);

/// A barrier over the network among a fixed group of nodes: everybody tells the first, the first tells everybody. A
/// second one on the same nodes needs two handlers of its own, `arrive` and the one after it.
class Barrier {
 public:
  explicit Barrier(std::vector<Os*> members, std::uint16_t arrive = barrier_arrive_handler);
  /// Returns when all members have called it.
  Task<> wait(std::size_t member);

 private:
  void arrived();

  std::vector<Os*> members_;
  std::uint16_t arrive_, release_;
  std::vector<WaitQueue> released_;
  std::size_t arrived_ = 0;
};

}  // namespace sunstar::os
