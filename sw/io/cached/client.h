// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <optional>

#include "sw/io/cached/messages.h"
#include "sw/io/cached/strided_client.h"
#include "sw/io/striped_client.h"

namespace sunstar::io::cached {

/// What a compute processor needs to use the caches of the I/O processors: it sends a request, and gets a reply, for
/// each part of a call that lies in one block.
class Client {
 public:
  Client(Nodes& nodes, const Volume& volume, workload::Job& job, const Messages& messages, std::uint32_t processor)
      : nodes_(nodes),
        volume_(volume),
        job_(job),
        processor_(processor),
        endpoint_(*nodes.compute[processor]),
        request_{messages},
        striped_(nodes, volume, job, processor) {}

  /// Carries out a call of the application, records it and returns when it has ended.
  os::Task<> call(const workload::Access& access) { return striped_.call(access, request_); }
  /// Makes all calls of the processor in the workload, one by one or strided.
  os::Task<> make_calls(workload::Team& team, bool strided);
  /// Moves bytes between a file and `memory` + access.memory; the caller records and charges what it is part of.
  os::Task<> move(const workload::Access& access, std::byte* memory) { return striped_.move(access, memory, request_); }
  /// Makes all I/O processors finish their write-behind and prefetches.
  os::Task<> sync();

 private:
  /// Composes the message for a part of a call.
  struct Request {
    const Messages& messages;
    hal::Message operator()(const BlockPart& part, bool write, const messages::ReplyTo& reply) const {
      const os::Counted<os::Cost::message_send> mark;
      const BlockRequest asked{part.file, part.bytes, part.offset, reply};
      return write ? messages.write.message(part.server, asked, part.memory, part.bytes)
                   : messages.read.message(part.server, asked);
    }
  };

  Nodes& nodes_;
  const Volume& volume_;
  workload::Job& job_;
  std::uint32_t processor_;
  messages::Endpoint& endpoint_;
  const Request request_;
  StripedClient striped_;
  std::optional<StridedClient> strided_;
};

}  // namespace sunstar::io::cached
