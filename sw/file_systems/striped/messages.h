// SPDX-License-Identifier: MIT
#pragma once
#include "sw/messages/endpoint.h"

// What clients and servers of objects say to each other.
namespace sunstar::file_systems::striped {

/// A process opens a file, whose name is the message's data. The answer is an Attributes.
struct Open {
  messages::ReplyTo reply;
};
struct Attributes {
  std::uint32_t file = 0;
  std::uint32_t objects = 0;  ///< 0: there is no such file
  std::uint64_t bytes = 0;
};

/// Asks to read bytes of a stripe, which the reply carries, or to write such runs of one object: the server fetches
/// them from the client's memory (Memget), and then answers. The first run of a write stands in the header; if there
/// are more, all follow as the message's data.
struct Transfer {
  messages::ReplyTo reply;
  std::uint64_t offset = 0;   ///< into the file
  std::uint64_t address = 0;  ///< in the client's memory
  std::uint32_t file = 0, bytes = 0;
  std::uint32_t connection = 0;  ///< how often the server has evicted the client, as the client knows
  std::uint32_t runs = 0;
};
struct Segment {
  std::uint64_t offset = 0, address = 0;
  std::uint32_t bytes = 0, unused = 0;
};
/// Asks to put everything on disk. The answer's status tells if something written is lost.
struct Sync {
  messages::ReplyTo reply;
};
BOOST_DESCRIBE_STRUCT(Transfer, (), (file, offset, bytes))

struct Messages {
  explicit Messages(messages::Numbers& n) : numbers(n) {}
  messages::Numbers& numbers;
  const messages::Kind<Open> open{numbers, "open"};
  const messages::Kind<Transfer> read{numbers, "read"}, write{numbers, "write"};
  const messages::Kind<Sync> sync{numbers, "sync"};
};

}  // namespace sunstar::file_systems::striped
