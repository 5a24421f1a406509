// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "sw/io/striped_client.h"
#include "sw/io/sync.h"

namespace sunstar::io::cached {

/// Asks to read part of a block, or to write it with the data of the message; answered by a reply.
struct BlockRequest {
  std::uint32_t file;
  std::uint32_t bytes;
  std::uint64_t offset;  ///< into the file
  messages::ReplyTo reply;
};
BOOST_DESCRIBE_STRUCT(BlockRequest, (), (file, offset, bytes))

/// Asks to read several chunks of a block, which the reply carries one behind the other, or to write them with the data
/// of the message. One run of chunks stands in the header; more come as a list, behind the data of a write.
struct ChunksRequest {
  std::uint32_t file;
  std::uint32_t runs;
  messages::PieceRun run;  ///< offsets into the file
  messages::ReplyTo reply;
};

struct Messages {
  explicit Messages(messages::Numbers& n) : numbers(n) {}
  messages::Numbers& numbers;
  const messages::Kind<BlockRequest> read{numbers, "read"}, write{numbers, "write", messages::Carries::file_data};
  const messages::Kind<SyncRequest> sync{numbers, "sync"};
  const messages::Kind<ChunksRequest> read_chunks{numbers, "read chunks"}, write_chunks{numbers, "write chunks"};

  hal::Message operator()(const BlockPart& part, bool writes, const messages::ReplyTo& reply) const {
    const os::Counted<os::Cost::message_send> mark;
    const BlockRequest asked{part.file, part.bytes, part.offset, reply};
    return writes ? write.message(part.server, asked, part.memory, part.bytes) : read.message(part.server, asked);
  }
};

}  // namespace sunstar::io::cached
