// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/one_of.h"
#include "models/core/param.h"

// The faults of a network. Effects on messages strike the messages sent by the node at a port or, at a link, the
// messages that cross it. Other effects are states, which last for good unless the fault limits them.
namespace sunstar::network {

struct MessageLost {
  static constexpr std::string_view kind = "message-lost";
  static constexpr std::string_view help = "a message occupies the network all the way, and does not arrive";
};

struct MessageCorrupted {
  static constexpr std::string_view kind = "message-corrupted";
  static constexpr std::string_view help =
      "a message arrives spoilt: an interface that checks drops it, other interfaces pass it on with one wrong byte of "
      "data";
};

struct MessageDuplicated {
  static constexpr std::string_view kind = "message-duplicated";
  static constexpr std::string_view help = "a message arrives twice, if there is room for the second";
};

struct MessageDelayed {
  static constexpr std::string_view kind = "message-delayed";
  static constexpr std::string_view help = "a message leaves later; others of its node may overtake it";
  Duration delay = std::chrono::milliseconds{1};
};
BOOST_DESCRIBE_STRUCT(MessageDelayed, (), (delay))
inline std::vector<Param> parameters(const MessageDelayed*) {
  return {{"delay", "the delay with which it leaves", "0s", "1000000s"}};
}

struct LinkDown {
  static constexpr std::string_view kind = "link-down";
  static constexpr std::string_view help =
      "nothing passes a link, in one direction: messages go round it where the routing has another way";
  static constexpr bool lasting = true;
};

struct RouterDown {
  static constexpr std::string_view kind = "router-down";
  static constexpr std::string_view help =
      "nothing passes a router of a torus or mesh: its links and its port are down";
  static constexpr bool lasting = true;
};

struct PortDown {
  static constexpr std::string_view kind = "port-down";
  static constexpr std::string_view help = "the node at a port is cut off, in both directions";
  static constexpr bool lasting = true;
};

using FaultEffects =
    OneOf<MessageLost, MessageCorrupted, MessageDuplicated, MessageDelayed, LinkDown, RouterDown, PortDown>;

}  // namespace sunstar::network
