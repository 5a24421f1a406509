// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/one_of.h"
#include "models/core/param.h"

// What can be wrong with a node. All begin at a time.
namespace sunstar::node {

struct Stop {
  static constexpr std::string_view kind = "stop";
  static constexpr std::string_view help =
      "the node loses its power: its programs end, its memory is lost, and what arrives is dropped";
  static constexpr bool lasting = true;
};

struct Reboot {
  static constexpr std::string_view kind = "reboot";
  static constexpr std::string_view help =
      "the node loses its power, and its memory with it, and is there again after a while; its programs are not";
  static constexpr bool lasting = true;
  Duration time = std::chrono::seconds{30};
};
BOOST_DESCRIBE_STRUCT(Reboot, (), (time))
inline std::vector<Param> parameters(const Reboot*) { return {{"time", "until it answers again", "1ns", "1000000s"}}; }

struct Pause {
  static constexpr std::string_view kind = "pause";
  static constexpr std::string_view help =
      "the node's processor does nothing for a while, as if an interrupt did not end; the interface takes what it has "
      "room for";
  Duration time = std::chrono::seconds{1};
};
BOOST_DESCRIBE_STRUCT(Pause, (), (time))
inline std::vector<Param> parameters(const Pause*) { return {{"time", "how long", "1ns", "1000000s"}}; }

using FaultEffects = OneOf<Stop, Reboot, Pause>;

}  // namespace sunstar::node
