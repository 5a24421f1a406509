// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <span>

#include "models/core/faults.h"

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
      "nothing passes a router of a torus, mesh or dragonfly: its links and its ports are down";
  static constexpr bool lasting = true;
};

struct PortDown {
  static constexpr std::string_view kind = "port-down";
  static constexpr std::string_view help = "the node at a port is cut off, in both directions";
  static constexpr bool lasting = true;
};

using FaultEffects =
    OneOf<MessageLost, MessageCorrupted, MessageDuplicated, MessageDelayed, LinkDown, RouterDown, PortDown>;

/// The faults of a fabric. Pure: the fabric asks it when a message has room at its receiver and enters, and when it
/// should be delivered. A fabric without faults has none.
class NetworkFaults {
 public:
  /// A router has so many ports in a row; 0: none can go down.
  explicit NetworkFaults(std::uint32_t ports, std::uint32_t ports_per_router = 0)
      : per_router_(ports_per_router), ports_(ports) {}

  /// Adds a fault at a port, or at a link by its channel.
  void add_at_port(std::uint32_t port, const FaultEffects& effect, faults::Strikes strikes) {
    add(at_port_[port], effect, std::move(strikes));
  }
  void add_at_router(std::uint32_t router, const FaultEffects& effect, faults::Strikes strikes) {
    add(at_router_[router], effect, std::move(strikes));
  }
  void add_at_link(std::uint32_t channel, const FaultEffects& effect, faults::Strikes strikes) {
    add(at_link_[channel], effect, std::move(strikes));
  }

  /// Whether links may be down, now or later.
  bool breaks_links() const { return breaks_links_; }
  /// Times of calls never decrease.
  bool link_down(std::uint32_t channel, Time now) {
    Place* const place = find(at_link_, channel);
    return place && place->hold<LinkDown>(now);
  }
  bool router_down(std::uint32_t router, Time now) {
    Place* const place = find(at_router_, router);
    return place && place->hold<RouterDown>(now);
  }
  /// Whether a fault of the port or of its router cuts the port off.
  bool port_down(std::uint32_t port, Time now) {
    Place* const place = find(at_port_, port);
    return (place && place->hold<PortDown>(now)) || (per_router_ > 0 && router_down(port / per_router_, now));
  }
  /// A message enters that goes from port to port over these links: a state may begin at this message.
  void count(Time now, std::uint32_t from, std::uint32_t to, std::span<const std::uint32_t> links);
  /// The fate of a message; to be asked once.
  struct Fate {
    bool lost = false, corrupted = false, duplicated = false;
    Duration delay{};
  };
  Fate fate(Time now, std::uint32_t from, std::span<const std::uint32_t> links);

  /// The node at the port has stopped and started anew.
  void take_down(std::uint32_t port, Time now) { ports_[port] = {true, ports_[port].life + 1, now}; }
  void bring_up(std::uint32_t port) { ports_[port].stopped = false; }
  bool stopped(std::uint32_t port) const { return ports_[port].stopped; }
  /// How often the node has been taken down, and when last: messages from before are void.
  std::uint32_t life(std::uint32_t port) const { return ports_[port].life; }
  Time last_stopped(std::uint32_t port) const { return ports_[port].since; }

 private:
  using Place = faults::FaultsOf<FaultEffects>;
  using Places = std::map<std::uint32_t, Place>;
  struct Port {
    bool stopped = false;
    std::uint32_t life = 0;
    Time since{};
  };

  static Place* find(Places& places, std::uint32_t number) {
    const auto found = places.find(number);
    return found == places.end() ? nullptr : &found->second;
  }
  void add(Place& place, const FaultEffects& effect, faults::Strikes strikes);
  static void strike(Place& place, Time now, Fate& fate);

  Places at_port_, at_router_, at_link_;
  std::uint32_t per_router_;
  bool breaks_links_ = false;
  std::vector<Port> ports_;
};

}  // namespace sunstar::network
