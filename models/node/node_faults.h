// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/one_of.h"
#include "models/core/param.h"

// The faults of a node. All begin at a time.
namespace sunstar::node {

struct Stop {
  static constexpr std::string_view kind = "stop";
  static constexpr std::string_view help =
      "the node loses its power: its programs end, its memory is lost, and arriving messages are dropped";
  static constexpr bool lasting = true;
};

struct Reboot {
  static constexpr std::string_view kind = "reboot";
  static constexpr std::string_view help =
      "the node loses its power, its memory and its programs, and starts again after a while without the programs";
  static constexpr bool lasting = true;
  Duration time = std::chrono::seconds{30};
};
BOOST_DESCRIBE_STRUCT(Reboot, (), (time))
inline std::vector<Param> parameters(const Reboot*) { return {{"time", "until it answers again", "1ns", "1000000s"}}; }

struct Pause {
  static constexpr std::string_view kind = "pause";
  static constexpr std::string_view help =
      "the node's processor does nothing for a while, as if an interrupt did not end; the interface takes the messages "
      "it has room for";
  Duration time = std::chrono::seconds{1};
};
BOOST_DESCRIBE_STRUCT(Pause, (), (time))
inline std::vector<Param> parameters(const Pause*) { return {{"time", "how long", "1ns", "1000000s"}}; }

using FaultEffects = OneOf<Stop, Reboot, Pause>;

}  // namespace sunstar::node
