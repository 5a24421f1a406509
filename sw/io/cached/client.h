// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <utility>

#include "sw/io/cached/messages.h"
#include "sw/io/cached/strided_client.h"
#include "sw/io/striped_client.h"

namespace sunstar::io::cached {

/// What a compute processor needs to use the caches of the I/O processors: it sends a request, and gets a reply, for
/// each part of a call that lies in one block.
class Client {
 public:
  Client(Nodes& nodes, Caller caller, const Messages& messages)
      : nodes_(nodes), caller_(std::move(caller)), request_{messages}, striped_(caller_), strided_(caller_, messages) {}

  /// Carries out a call of the application, records it and returns when it has ended.
  os::Task<> call(const requests::Access& access) { return striped_.call(access, request_); }
  /// The same for a call and those that continue it, as one strided call.
  os::Task<> call(const requests::Access& first, requests::Calls& calls) { return strided_.call(first, calls); }
  /// Moves bytes between a file and `memory` + access.memory; the caller records and charges what it is part of.
  os::Task<> move(const requests::Access& access, std::byte* memory) { return striped_.move(access, memory, request_); }
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
  Caller caller_;
  const Request request_;
  StripedClient striped_;
  StridedClient strided_;
};

}  // namespace sunstar::io::cached
