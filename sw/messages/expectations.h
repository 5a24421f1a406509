// SPDX-License-Identifier: MIT
#pragma once
#include <cassert>
#include <cstdint>
#include <vector>

#include "models/node/hal.h"
#include "sw/os/counted.h"

namespace sunstar::messages {

/// The replies that a node waits for. Each has a name, which the request carries to the other node and the reply brings
/// back: its place in the table and, above it, the place's generation. A reply that was given up gives its place a new
/// generation, so that the node drops the reply should it come after all.
class Expectations {
 public:
  using Name = std::uint32_t;
  static constexpr Name most = 1U << 24;    ///< replies at once, and one
  static constexpr Name nobody = most - 1;  ///< of a reply that is not expected

  /// `node` will send a reply for the reply action of that number.
  Name add(hal::NodeId node, std::uint32_t action) {
    std::uint32_t at = static_cast<std::uint32_t>(places_.size());
    if (free_.empty()) {
      const os::NotOnTheMachine mark;  // the table soon has its final size
      assert(at < nobody);
      places_.push_back({});
    } else {
      at = free_.back();
      free_.pop_back();
    }
    Place& place = places_[at];
    place.node = node;
    place.action = action;
    return std::uint32_t{place.generation} << 24 | at;
  }
  /// Whether the reply is still expected.
  bool has(Name name) const {
    if (name % most >= places_.size()) return false;
    const Place& place = places_[name % most];
    return place.action != none && place.generation == name >> 24;
  }
  /// The reply action that an expected reply belongs to.
  std::uint32_t action(Name name) const { return places_[name % most].action; }
  hal::NodeId node(Name name) const { return places_[name % most].node; }
  /// The expected reply has come.
  void came(Name name) {
    places_[name % most].action = none;
    free_.push_back(name % most);
  }
  /// Gives up all replies of the node, and returns the numbers of their reply actions, in ascending order.
  std::vector<std::uint32_t> give_up(hal::NodeId node);

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Place {
    hal::NodeId node{};
    std::uint32_t action = none;
    std::uint8_t generation = 0;
  };
  std::vector<Place> places_;
  std::vector<std::uint32_t> free_;
};

inline std::vector<std::uint32_t> Expectations::give_up(hal::NodeId node) {
  std::vector<std::uint32_t> actions;
  for (std::uint32_t at = 0; at < places_.size(); ++at) {
    Place& place = places_[at];
    if (place.action == none || place.node != node) continue;
    actions.push_back(place.action);
    ++place.generation;
    came(at);
  }
  std::ranges::sort(actions);
  return actions;
}

}  // namespace sunstar::messages
