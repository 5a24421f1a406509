// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>
#include <vector>

#include "sw/os/costs.h"

namespace sunstar::os {

/// The names of the primitives that a node's processor sends and takes messages with, those of sockets included. An
/// interrupt is nearly always that of a message: a disk's serves a whole block.
inline std::vector<std::string_view> message_costs() {
  std::vector<std::string_view> names;
  for (const Cost c : {Cost::interrupt, Cost::message_dispatch, Cost::message_send, Cost::deposit, Cost::reply_action})
    names.push_back(cost_names[static_cast<std::size_t>(c)]);
  for (std::size_t c = common_cost_count; c < cost_count; ++c) names.push_back(cost_names[c]);
  return names;
}

}  // namespace sunstar::os
