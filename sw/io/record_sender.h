// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>

#include "sw/io/nodes.h"
#include "sw/requests/selection.h"

namespace sunstar::io {

/// Sends records to the compute processors that a selection names, which append them to what they have.
class RecordSender {
 public:
  struct Options {
    bool filter = true;   ///< whether records that the filter throws away stay here
    bool gather = false;  ///< one message for all records of a block that go to one processor, instead of one for each
    std::uint32_t first = 0;  ///< the processor that is served first; each sender begins with another one
    bool copies_own = true;   ///< records for the sender's own processor, if it is one, are copied, not sent
  };
  RecordSender(Nodes& nodes, messages::Endpoint& endpoint, const requests::Selection& selection, const Options& options)
      : nodes_(nodes), endpoint_(endpoint), selection_(selection), options_(options) {}

  /// Sends the `bytes` of records at `data`, the first of which has that number in the file. `packed` has as many bytes
  /// as `data`, for gathering. `answers` learns of the acknowledgements; whoever awaits them knows that all is there.
  os::Task<> send(std::uint64_t first_record, std::byte* data, std::uint64_t bytes, std::byte* packed,
                  messages::ReplyAction& answers);

 private:
  os::Task<> send_each(std::uint64_t first_record, std::byte* data, std::uint64_t bytes,
                       messages::ReplyAction& answers);
  os::Task<> send_together(std::uint64_t first_record, std::byte* data, std::uint64_t bytes, std::byte* packed,
                           messages::ReplyAction& answers);
  bool stays(std::uint32_t processor) const {
    return options_.copies_own && nodes_.compute[processor]->id() == endpoint_.id();
  }
  /// Appends to what this node's own processor has.
  void keep(const std::byte* data, std::uint64_t bytes);

  Nodes& nodes_;
  messages::Endpoint& endpoint_;
  const requests::Selection& selection_;
  const Options options_;
};

}  // namespace sunstar::io
