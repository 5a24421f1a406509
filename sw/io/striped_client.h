// SPDX-License-Identifier: MIT
#pragma once
#include "sw/io/nodes.h"
#include "sw/io/volume.h"
#include "sw/requests/access.h"

namespace sunstar::io {

/// An application on a compute processor, as its requests to the I/O processors see it. At most one request is
/// outstanding for each unit of the store (a disk in TR94-226, section 4), so all units can work for one call.
struct Caller {
  struct Slot {
    messages::ReplyAction replies;
    hal::NodeId server;
    requests::Failed asked{};                     ///< the request's part of the call, to report a failure
    std::vector<messages::PieceRun> chunks = {};  ///< the request's chunks, if several
  };

  /// `m`: the application's buffer on the processor.
  Caller(const Nodes& all, const Volume& v, std::uint32_t p, messages::RemoteMemory& m, requests::Recorder& r)
      : nodes(all),
        volume(v),
        processor(p),
        endpoint(*nodes.compute[p]),
        memory(m),
        record(r),
        slots((v.units() + group - 1) / group) {}
  /// The slot for requests that concern the block.
  Slot& slot(std::uint64_t block) {
    const std::uint32_t unit = volume.unit_of(block);
    auto& some = slots[unit / group];
    if (some.empty()) [[unlikely]]
      make(some, unit / group * group);
    return some[unit % group];
  }
  /// The slot's request has ended. Notes its failure, if it has failed.
  void ended(Slot& slot) {
    const hal::Status status = slot.replies.take_status();
    if (status == hal::Status::ok) [[likely]]
      return;
    requests::Failed failed = slot.asked;
    failed.status = status;
    const auto note = [&](std::uint64_t offset, std::uint64_t bytes) {
      failed.offset = offset;
      failed.bytes = bytes;
      record.failed(failed);
      failures.push_back(failed);
    };
    if (slot.chunks.empty()) note(failed.offset, failed.bytes);
    for (const messages::PieceRun& run : slot.chunks) messages::for_each_piece(run, note);
  }
  /// A call of the application has ended, or several carried out as one. `status`: its result unless one of its own
  /// requests has failed.
  void ends(Time start, std::uint64_t calls, std::uint64_t bytes, const requests::Access& first,
            hal::Status status = hal::Status::ok) {
    requests::Ended ended{processor, start, endpoint.os.now(), calls, bytes, &first, status};
    std::uint64_t lost = 0;
    for (const requests::Failed& failed : failures) {
      ended.status = failed.status;
      lost += failed.bytes;
    }
    if (lost > 0) record.not_moved(lost);
    failures.clear();
    record.moved(bytes - lost);
    record.end(ended);
  }
  /// Returns when all requests have ended.
  os::Task<> all_ended() {
    for (auto& some : slots)
      for (Slot& slot : some) {
        while (slot.replies.outstanding()) co_await slot.replies.arrival();
        ended(slot);
      }
  }
  /// The failed parts of the ending call, one for each request.
  std::vector<requests::Failed> take_failures() { return std::exchange(failures, {}); }

  const Nodes& nodes;
  const Volume& volume;
  const std::uint32_t processor;
  messages::Endpoint& endpoint;
  messages::RemoteMemory& memory;
  requests::Recorder& record;
  std::vector<requests::Failed> failures;  ///< failures of the current call

 private:
  static constexpr std::uint32_t group = 16;
  void make(std::vector<Slot>& some, std::uint32_t first) {
    some.reserve(std::min(group, volume.units() - first));
    for (std::uint32_t u = first; u < std::min(first + group, volume.units()); ++u)
      some.push_back({messages::ReplyAction(endpoint), nodes.io[volume.place(u).io_processor].endpoint.id()});
  }
  // By unit, in groups made at the first use: on a large machine a processor uses few units.
  std::vector<std::vector<Slot>> slots;
};

struct BlockPart {
  std::uint32_t file = 0;
  std::uint64_t offset = 0;  ///< bytes into the file
  std::uint32_t bytes = 0;
  hal::NodeId server{};         ///< the node of the block's disk
  std::byte* memory = nullptr;  ///< in the application's buffer
};

/// A compute processor that splits its calls into requests for blocks.
class StripedClient {
 public:
  explicit StripedClient(Caller caller) : caller_(std::move(caller)) {}
  Caller& caller() { return caller_; }

  /// Carries out a call, records it and returns when it has ended. `request(part, write, reply)` composes the message
  /// for one block. Both must live until the call has ended.
  template <class Request>
  os::Task<> call(const requests::Access& access, const Request& request) {
    return carry_out(access, caller_.memory.base, request, true);
  }
  /// The same for a part of a call, between the file and `memory` + access.memory: the caller records the call and
  /// charges Cost::file_call.
  template <class Request>
  os::Task<> move(const requests::Access& access, std::byte* memory, const Request& request) {
    return carry_out(access, memory, request, false);
  }

 private:
  // One coroutine for both: a second one would slow down 8-byte calls.
  template <class Request>
  os::Task<> carry_out(const requests::Access& access, std::byte* base, const Request& request, bool whole_call) {
    os::Os& os = caller_.endpoint.os;
    const Time start = os.now();
    if (whole_call) {
      os.charge<os::Cost::file_call>();
      caller_.record.begin(start, caller_.processor);
    }
    const bool write = access.operation == requests::Operation::write;
    const std::uint64_t block_bytes = caller_.volume.block_bytes(), first_block = access.offset / block_bytes;
    std::uint64_t block = first_block;
    for (std::uint64_t offset = access.offset, end = access.offset + access.bytes; offset < end; ++block) {
      Caller::Slot& slot = caller_.slot(block);
      while (slot.replies.outstanding()) co_await slot.replies.arrival();
      caller_.ended(slot);
      os.charge<os::Cost::block_request>();
      const auto bytes = static_cast<std::uint32_t>(std::min(end, (block + 1) * block_bytes) - offset);
      std::byte* const memory = base + access.memory + (offset - access.offset);
      slot.asked = {access.file, access.operation, offset, bytes};
      const BlockPart part{access.file, offset, bytes, slot.server, memory};
      co_await os.send(request(part, write, slot.replies.expect(slot.server, write ? nullptr : memory)));
      caller_.record.progress(bytes);
      offset += bytes;
    }
    if (!whole_call) {
      co_await caller_.all_ended();
      co_return;
    }
    const std::uint64_t used = std::min<std::uint64_t>(block - first_block, caller_.volume.units());
    for (std::uint64_t b = first_block; b < first_block + used; ++b) {
      Caller::Slot& slot = caller_.slot(b);
      while (slot.replies.outstanding()) co_await slot.replies.arrival();
      caller_.ended(slot);
    }
    os::counted_from_here<os::Cost::file_call>();
    caller_.ends(start, 1, access.bytes, access);
  }

  Caller caller_;
};

}  // namespace sunstar::io
