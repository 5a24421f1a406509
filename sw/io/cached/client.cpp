// SPDX-License-Identifier: MIT
#include "sw/io/cached/client.h"

namespace sunstar::io::cached {

using os::Cost;

os::Task<> StridedClient::call(const requests::Access& first, requests::Calls& calls) {
  os::Os& os = caller_.endpoint.os;
  os.charge<Cost::file_call>();
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
      os.charge<Cost::piece>();
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
  os::counted_from_here<Cost::file_call>();
  co_await caller_.all_ended();
  caller_.ends(start, units, bytes, first);
}

// A further chunk may make the list longer by two entries.
bool StridedClient::fits(std::uint64_t block, const std::byte* memory, std::uint32_t bytes) const {
  const std::uint64_t block_bytes = caller_.volume.block_bytes();
  return !chunks_.empty() && block == block_ && memory == memory_ + chunks_.bytes() &&
         chunks_.bytes() + bytes <= block_bytes && chunks_.list_bytes() + 2 * sizeof(messages::PieceRun) <= block_bytes;
}

os::Task<> StridedClient::send(std::uint32_t file, bool write) {
  if (chunks_.empty()) co_return;
  os::Os& os = caller_.endpoint.os;
  Caller::Slot& slot = caller_.slot(block_);
  while (slot.replies.outstanding()) co_await slot.replies.arrival();
  caller_.ended(slot);
  os.charge<Cost::block_request>();
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

}  // namespace sunstar::io::cached
