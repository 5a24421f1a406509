// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "sw/messages/endpoint.h"

namespace sunstar::io::cached {

/// Asks to read part of a block, or to write it with the data of the message; answered by a reply.
struct BlockRequest {
  std::uint32_t file;
  std::uint32_t bytes;
  std::uint64_t offset;  ///< into the file
  messages::ReplyTo reply;
};

/// Asks to put everything on disk; answered by a reply.
struct SyncRequest {
  messages::ReplyTo reply;
};

/// The messages between compute and I/O processors.
struct Messages {
  explicit Messages(messages::Numbers& numbers) : read(numbers), write(numbers), sync(numbers) {}
  const messages::Kind<BlockRequest> read, write;
  const messages::Kind<SyncRequest> sync;
};

}  // namespace sunstar::io::cached
