// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "sw/messages/endpoint.h"

namespace sunstar::file_systems::traditional_caching {

/// Part of a block to be read, or written with the data that come along; answered by a reply.
struct BlockRequest {
  std::uint32_t file;
  std::uint32_t bytes;
  std::uint64_t offset;  ///< into the file
  messages::ReplyTo reply;
};

/// To make everything durable; answered by a reply.
struct SyncRequest {
  messages::ReplyTo reply;
};

/// What compute and I/O processors say to each other.
struct Messages {
  explicit Messages(messages::Numbers& numbers) : read(numbers), write(numbers), sync(numbers) {}
  const messages::Kind<BlockRequest> read, write;
  const messages::Kind<SyncRequest> sync;
};

}  // namespace sunstar::file_systems::traditional_caching
