// SPDX-License-Identifier: MIT
#include "sw/messages/expectations.h"

namespace sunstar::messages {

std::vector<std::uint32_t> Expectations::give_up(hal::NodeId node) {
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
