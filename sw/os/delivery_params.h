// SPDX-License-Identifier: MIT
#pragma once
#include <optional>

#include "models/core/one_of.h"
#include "models/core/param.h"

namespace sunstar::os {

/// The network may lose messages, spoil them, or bring them twice, and the nodes' software sees to it that each arrives
/// once. The values are those of TCP in Linux (TCP_RTO_MIN, tcp_retries2, TCP_DELACK_MIN).
struct Acknowledged {
  static constexpr std::string_view kind = "acknowledged";
  static constexpr std::string_view help =
      "messages may get lost: each has a number, is acknowledged, and sent again if it is not; with sockets, TCP does "
      "that";
  Duration timeout = std::chrono::milliseconds{200};
  std::uint32_t resends = 15;
  std::uint32_t acknowledge_every = 2;
  Duration acknowledge_after = std::chrono::milliseconds{40};
  Bytes receive_pool{0};
};
BOOST_DESCRIBE_STRUCT(Acknowledged, (), (timeout, resends, acknowledge_every, acknowledge_after, receive_pool))
inline std::vector<Param> parameters(const Acknowledged*) {
  return {{"timeout", "after which a message is sent again; it doubles each time", "1us", "1000s"},
          {"resends", "how often, before it is given up", "0", "100"},
          {"acknowledge_every",
           "without sockets: messages after which they are acknowledged, unless a message of the receiver does it", "1",
           "1024"},
          {"acknowledge_after", "how long an acknowledgement waits for such a message", "1us", "10s"},
          {"receive_pool",
           "bytes of arrived messages that a node has room for until its processor has taken them; a message that "
           "finds none is lost, and sent again; 0B: there is always room",
           "0B", "1GiB", Tuning::setting}};
}

struct Assured {
  static constexpr std::string_view kind = "assured";
  static constexpr std::string_view help = "the network brings each message once";
};

/// What the nodes' software expects of the network.
struct DeliveryChoice {
  OneOf<Assured, Acknowledged> kind;
  std::optional<Acknowledged> acknowledged() const {
    const auto* params = kind.if_is<Acknowledged>();
    return params ? std::optional(*params) : std::nullopt;
  }
};
BOOST_DESCRIBE_STRUCT(DeliveryChoice, (), (kind))
inline std::vector<Param> parameters(const DeliveryChoice*) {
  return {{"kind", "whether the network brings each message, and once"}};
}

}  // namespace sunstar::os
