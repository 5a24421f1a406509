// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "sw/io/cached/messages.h"
#include "sw/requests/access.h"

namespace sunstar::io::cached {

/// A compute processor whose calls are strided: one call names many chunks, and one request names all the chunks of a
/// block (TR94-226, "Future work"). A request's chunks lie one behind the other in the memory of the processor, so
/// their bytes go to or from there by DMA.
class StridedClient {
 public:
  StridedClient(Caller& caller, const Messages& messages) : caller_(caller), messages_(messages) {}

  /// Carries out `first` and all calls that continue it as one, and returns when all have ended.
  os::Task<> call(const requests::Access& first, requests::Calls& calls) {
    os::Os& os = caller_.endpoint.os;
    os.charge<os::Cost::file_call>();
    const Time start = os.now();
    caller_.record.begin(start, caller_.processor);
    const std::uint64_t block_bytes = caller_.volume.block_bytes();
    const bool write = first.operation == requests::Operation::write;
    requests::Access access = first;
    std::uint64_t units = 0, bytes = 0;
    do {
      ++units;
      bytes += access.bytes;
      std::byte* memory = caller_.memory.base + access.memory;
      for (std::uint64_t offset = access.offset, end = access.offset + access.bytes; offset < end;) {
        os.charge<os::Cost::piece>();
        const std::uint64_t block = offset / block_bytes;
        const auto here = static_cast<std::uint32_t>(std::min(end, (block + 1) * block_bytes) - offset);
        if (!fits(block, memory, here)) {
          co_await send(access.file, write);
          block_ = block;
          memory_ = memory;
        }
        chunks_.add(offset, here);
        offset += here;
        memory += here;
      }
    } while (calls.continues(access));
    co_await send(access.file, write);
    os::counted_from_here<os::Cost::file_call>();
    co_await caller_.all_ended();
    caller_.ends(start, units, bytes, first);
  }

 private:
  // A further chunk may make the list longer by two entries.
  bool fits(std::uint64_t block, const std::byte* memory, std::uint32_t bytes) const {
    const std::uint64_t block_bytes = caller_.volume.block_bytes();
    return !chunks_.empty() && block == block_ && memory == memory_ + chunks_.bytes() &&
           chunks_.bytes() + bytes <= block_bytes &&
           chunks_.list_bytes() + 2 * sizeof(messages::PieceRun) <= block_bytes;
  }

  os::Task<> send(std::uint32_t file, bool write) {
    if (chunks_.empty()) co_return;
    os::Os& os = caller_.endpoint.os;
    Caller::Slot& slot = caller_.slot(block_);
    while (slot.replies.outstanding()) co_await slot.replies.arrival();
    caller_.ended(slot);
    os.charge<os::Cost::block_request>();
    const auto bytes = static_cast<std::uint32_t>(chunks_.bytes());
    const std::uint32_t list_bytes = chunks_.list_bytes();
    std::byte* data = write ? memory_ : nullptr;
    if (list_bytes > 0) {
      // The list is the message's data, or follows them.
      if (!buffer_) buffer_ = os.node().allocate(2 * caller_.volume.block_bytes());
      std::byte* list = buffer_;
      if (write) {
        os.copy(buffer_, memory_, bytes);
        list += bytes;
      }
      os.memory().put(list, chunks_.list().data(), list_bytes);
      caller_.endpoint.count_list(list_bytes);
      data = buffer_;
    }
    slot.asked = {file, write ? requests::Operation::write : requests::Operation::read};
    slot.chunks.assign(chunks_.list().begin(), chunks_.list().end());
    const messages::ReplyTo reply = slot.replies.expect(slot.server, write ? nullptr : memory_);
    const ChunksRequest asked{file, static_cast<std::uint32_t>(chunks_.list().size()), chunks_.list().front(), reply};
    co_await os.send((write ? messages_.write_chunks : messages_.read_chunks)
                         .message(slot.server, asked, data, (write ? bytes : 0) + list_bytes));
    caller_.record.progress(bytes);
    chunks_.clear();
  }

  Caller& caller_;
  const Messages& messages_;
  std::byte* buffer_ = nullptr;  // for a list of chunks, behind the bytes of a write
  // The request being made.
  messages::Runs chunks_;
  std::uint64_t block_ = 0;
  std::byte* memory_ = nullptr;  // of its first chunk
};

/// A compute processor's access to the caches of the I/O processors: it sends a request, and gets a reply, for each
/// part of a call that lies in one block or, if its calls are `strided`, for all chunks of a block.
class Client {
 public:
  Client(Nodes& nodes, Caller caller, const Messages& messages, bool strided = false)
      : nodes_(nodes), messages_(messages), striped_(std::move(caller)) {
    if (strided) strided_.emplace(striped_.caller(), messages);
  }
  Client(const Client&) = delete;  // the parts share the caller

  /// Carries out a call of the application, records it and returns when it has ended. A strided call takes the calls
  /// that continue it.
  os::Task<> call(const requests::Access& access, requests::Calls& calls) {
    return strided_ ? strided_->call(access, calls) : striped_.call(access, messages_);
  }
  /// Moves bytes between a file and `memory` + access.memory; the caller records and charges the whole call.
  os::Task<> move(const requests::Access& access, std::byte* memory) {
    return striped_.move(access, memory, messages_);
  }
  /// The failures of such moves since the last call.
  std::vector<requests::Failed> take_failures() { return striped_.caller().take_failures(); }
  Caller& caller() { return striped_.caller(); }
  /// Makes all I/O processors finish their write-behind and prefetches. Lost data are an error.
  os::Task<> sync() { return io::sync(nodes_, striped_.caller().endpoint, messages_.sync, striped_.caller().record); }

 private:
  Nodes& nodes_;
  const Messages& messages_;
  StripedClient striped_;
  std::optional<StridedClient> strided_;
};

}  // namespace sunstar::io::cached
