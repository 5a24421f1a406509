// SPDX-License-Identifier: MIT
#pragma once
#include "sw/file_systems/locking/lock_table.h"
#include "sw/file_systems/striped/messages.h"

namespace sunstar::file_systems::locking {

/// A client asks for a lock. A Granted answers when no conflict is left.
struct Enqueue {
  static constexpr std::uint16_t exact = 1, no_wait = 2;
  messages::ReplyTo reply;
  Extent extent;
  std::uint32_t file = 0, object = 0;
  std::uint32_t connection = 0;  ///< as of a Transfer
  Mode mode = Mode::read;
  std::uint8_t unused = 0;
  std::uint16_t flags = 0;
};
struct Granted {
  std::uint64_t lock = 0;  ///< 0: refused, because it would have had to wait
  Extent extent;
  std::uint64_t called_back = 0;  ///< whether others wait for it already
};
/// A server wants a lock back. The answer comes when the bytes written under the lock are on disk.
struct CallBack {
  messages::ReplyTo reply;
  std::uint64_t lock = 0;
  std::uint32_t connection = 0;
  std::uint32_t request = 0;  ///< that was granted it: the reply action that its answer goes to
};
BOOST_DESCRIBE_STRUCT(Enqueue, (), (file, object))
BOOST_DESCRIBE_STRUCT(CallBack, (), (lock))

struct Messages : striped::Messages {
  using striped::Messages::Messages;
  const messages::Kind<Enqueue> enqueue{numbers, "enqueue"};
  const messages::Kind<CallBack> call_back{numbers, "call back", messages::Taken::always};
};

}  // namespace sunstar::file_systems::locking
