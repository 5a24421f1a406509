// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <vector>

#include "sw/io/disk_slots.h"
#include "sw/workload/job.h"

namespace sunstar::io {

/// The part of a call that lies in one block.
struct BlockPart {
  std::uint32_t file = 0;
  std::uint64_t offset = 0;  ///< bytes into the file
  std::uint32_t bytes = 0;
  hal::NodeId server{};         ///< the node of the block's disk
  std::byte* memory = nullptr;  ///< in the application's buffer
};

/// A compute processor that splits its calls into requests for blocks. It keeps at most one request outstanding for
/// each disk (TR94-226, section 4), so all disks can work for one call.
class StripedClient {
 public:
  StripedClient(Nodes& nodes, const Volume& volume, workload::Job& job, std::uint32_t processor)
      : striping_(volume.striping()),
        job_(job),
        processor_(processor),
        endpoint_(*nodes.compute[processor]),
        slots_(disk_slots(nodes, volume, endpoint_)) {}

  /// Carries out a call, records it and returns when it has ended. `request(part, write, reply)` composes the message
  /// for one block. Both must live until the call has ended.
  template <class Request>
  os::Task<> call(const workload::Access& access, const Request& request) {
    const os::Counted<os::Cost::file_call> mark;
    return carry_out(access, job_.memory[processor_].base, request, true);
  }
  /// The same for a part of a call, between the file and `memory` + access.memory: the caller records the call and
  /// charges Cost::file_call.
  template <class Request>
  os::Task<> move(const workload::Access& access, std::byte* memory, const Request& request) {
    return carry_out(access, memory, request, false);
  }

 private:
  // One coroutine for both: a second one would slow down 8-byte calls.
  template <class Request>
  os::Task<> carry_out(const workload::Access& access, std::byte* base, const Request& request, bool whole_call) {
    os::counted_from_here<os::Cost::file_call>();
    const Time start = endpoint_.os.now();
    if (whole_call) {
      job_.record.begin(start, processor_);
      endpoint_.os.charge(os::Cost::file_call);
    }
    os::Os& os = endpoint_.os;
    const bool write = access.operation == workload::Operation::write;
    const std::uint64_t first_block = access.offset / striping_.block_bytes;
    std::uint64_t block = first_block;
    for (std::uint64_t offset = access.offset, end = access.offset + access.bytes; offset < end; ++block) {
      os::counted_from_here<os::Cost::block_request>();
      const auto bytes = static_cast<std::uint32_t>(std::min(end, (block + 1) * striping_.block_bytes) - offset);
      DiskSlot& slot = slots_[striping_.disk_of(block)];
      while (slot.replies.outstanding()) co_await slot.replies.arrival();
      os::counted_from_here<os::Cost::block_request>();
      os.charge(os::Cost::block_request);
      std::byte* const memory = base + access.memory + (offset - access.offset);
      const BlockPart part{access.file, offset, bytes, slot.server, memory};
      co_await os.send(request(part, write, slot.replies.expect(write ? nullptr : memory)));
      job_.record.progress(bytes);
      offset += bytes;
    }
    os::counted_from_here<os::Cost::file_call>();
    if (!whole_call) {
      for (DiskSlot& slot : slots_)
        while (slot.replies.outstanding()) co_await slot.replies.arrival();
      co_return;
    }
    const std::uint64_t used = std::min<std::uint64_t>(block - first_block, striping_.disks);
    for (std::uint64_t b = first_block; b < first_block + used; ++b) {
      DiskSlot& slot = slots_[striping_.disk_of(b)];
      while (slot.replies.outstanding()) co_await slot.replies.arrival();
      os::counted_from_here<os::Cost::file_call>();
    }
    job_.record.moved(access.bytes);
    job_.record.end({processor_, start, os.now(), 1, access.bytes, &access});
  }

  const Striping striping_;
  workload::Job& job_;
  std::uint32_t processor_;
  messages::Endpoint& endpoint_;
  std::vector<DiskSlot> slots_;  // by disk
};

}  // namespace sunstar::io
