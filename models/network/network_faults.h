// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "models/core/faults/faults_of.h"
#include "models/network/fault_effects.h"

namespace sunstar::network {

/// The faults of a fabric. Pure: the fabric asks it when a message has room at its receiver and enters, and when it
/// should be delivered. A fabric without faults has none.
class NetworkFaults {
 public:
  explicit NetworkFaults(std::uint32_t ports) : ports_(ports) {}

  /// Adds a fault at a port, or at a link by its channel.
  void add_at_port(std::uint32_t port, const FaultEffects& effect, faults::Strikes strikes) {
    add(at_port_[port], effect, std::move(strikes));
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
  bool router_down(std::uint32_t port, Time now) {
    Place* const place = find(at_port_, port);
    return place && place->hold<RouterDown>(now);
  }
  /// Whether a fault of the port or of its router cuts the port off.
  bool port_down(std::uint32_t port, Time now) {
    Place* const place = find(at_port_, port);
    return place && (place->hold<PortDown>(now) || place->hold<RouterDown>(now));
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

  Places at_port_, at_link_;
  bool breaks_links_ = false;
  std::vector<Port> ports_;
};

}  // namespace sunstar::network
