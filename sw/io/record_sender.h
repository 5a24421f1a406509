// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>

#include "sw/io/nodes.h"
#include "sw/requests/selection.h"

namespace sunstar::io {

/// Sends records to the compute processors named by a selection, which append them to their records.
class RecordSender {
 public:
  struct Options {
    bool filter = true;       ///< whether records that the filter discards stay here
    bool gather = false;      ///< one message for all records of a block for one processor, instead of one for each
    std::uint32_t first = 0;  ///< the processor that is served first; each sender begins with another
  };
  RecordSender(Nodes& nodes, messages::Endpoint& endpoint, const requests::Selection& selection, const Options& options)
      : nodes_(nodes), endpoint_(endpoint), selection_(selection), options_(options) {}

  /// Sends the `bytes` of records at `data`, from number `first_record` of the file on. `packed` has as many bytes as
  /// `data`, for gathering. `answers` collects the acknowledgements, after which all records have arrived.
  os::Task<> send(std::uint64_t first_record, std::byte* data, std::uint64_t bytes, std::byte* packed,
                  messages::ReplyAction& answers) {
    const std::uint64_t records = bytes / selection_.record_bytes;
    if (options_.filter) selection_.charge_filter(endpoint_.os, records);
    return options_.gather ? send_together(first_record, data, bytes, packed, answers)
                           : send_each(first_record, data, bytes, answers);
  }

 private:
  os::Task<> send_each(std::uint64_t first_record, std::byte* data, std::uint64_t bytes,
                       messages::ReplyAction& answers) {
    os::Os& os = endpoint_.os;
    const std::uint32_t size = selection_.record_bytes;
    content::Memory& memory = os.memory();
    const bool filter = options_.filter;
    std::vector<std::byte> room;
    const std::uint64_t records = bytes / size;
    // As with pieces, each sender begins elsewhere in the block.
    std::uint64_t next = records * options_.first / nodes_.compute.size();
    for (std::uint64_t left = records; left > 0; --left) {
      std::byte* const record = data + next * size;
      const std::uint64_t number = first_record + next;
      if (++next == records) next = 0;
      const std::byte* const looked_at = memory.look(record, size, room);
      if (filter && !selection_.keeps(looked_at)) continue;
      const std::uint32_t to = selection_.processor(os, number, looked_at);
      if (stays(to)) {
        keep(record, size);
        continue;
      }
      const hal::NodeId node = nodes_.compute[to]->id();
      co_await os.send(endpoint_.append(node, record, size, answers.expect(node)));
      co_await os.give_way();
    }
  }

  os::Task<> send_together(std::uint64_t first_record, std::byte* data, std::uint64_t bytes, std::byte* packed,
                           messages::ReplyAction& answers) {
    const std::uint32_t size = selection_.record_bytes;
    std::vector<std::byte> room;
    std::vector<std::vector<const std::byte*>> groups(nodes_.compute.size());
    for (std::uint64_t i = 0; i < bytes / size; ++i) {
      const std::byte* const record = data + i * size;
      const std::byte* const looked_at = endpoint_.os.memory().look(record, size, room);
      if (options_.filter && !selection_.keeps(looked_at)) continue;
      groups[selection_.processor(endpoint_.os, first_record + i, looked_at)].push_back(record);
    }
    std::size_t processor = options_.first;
    for (std::size_t left = groups.size(); left > 0; --left) {
      const auto& group = groups[processor];
      if (!group.empty()) {
        {
          const auto charged = endpoint_.charge_for_pieces(group.size(), group.size() * size);
          std::byte* end = packed;
          for (const std::byte* record : group) {
            messages::copy_piece(endpoint_.os.memory(), end, record, size);
            end += size;
          }
        }
        const auto to = static_cast<std::uint32_t>(processor);
        const auto all = static_cast<std::uint32_t>(group.size() * size);
        const hal::NodeId node = nodes_.compute[to]->id();
        if (stays(to)) keep(packed, all);
        else co_await endpoint_.os.send(endpoint_.append(node, packed, all, answers.expect(node)));
        co_await endpoint_.os.give_way();
      }
      if (++processor == groups.size()) processor = 0;
    }
  }

  /// Records for the sender's own processor, if it has one, are copied, not sent.
  bool stays(std::uint32_t processor) const { return nodes_.compute[processor]->id() == endpoint_.id(); }

  /// Appends to the records of this node's own processor.
  void keep(const std::byte* data, std::uint64_t bytes) {
    messages::RemoteMemory& own = *endpoint_.offered();
    const auto charged = endpoint_.charge_for_pieces(1, bytes);
    messages::copy_piece(endpoint_.os.memory(), own.base + own.appended, data, bytes);
    own.appended += bytes;
  }

  Nodes& nodes_;
  messages::Endpoint& endpoint_;
  const requests::Selection& selection_;
  const Options options_;
};

}  // namespace sunstar::io
