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
                  messages::ReplyAction& answers);

 private:
  os::Task<> send_each(std::uint64_t first_record, std::byte* data, std::uint64_t bytes,
                       messages::ReplyAction& answers);
  os::Task<> send_together(std::uint64_t first_record, std::byte* data, std::uint64_t bytes, std::byte* packed,
                           messages::ReplyAction& answers);
  /// Records for the sender's own processor, if it has one, are copied, not sent.
  bool stays(std::uint32_t processor) const { return nodes_.compute[processor]->id() == endpoint_.id(); }
  /// Appends to the records of this node's own processor.
  void keep(const std::byte* data, std::uint64_t bytes);

  Nodes& nodes_;
  messages::Endpoint& endpoint_;
  const requests::Selection& selection_;
  const Options options_;
};

}  // namespace sunstar::io
