// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <boost/describe.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/core/param.h"
#include "models/core/problems.h"
#include "models/core/quantity.h"

// A configuration that has one of everything, for the tests of the kit: a lighthouse.
namespace lamp {

using sunstar::operator""_KiB;
using sunstar::operator""_MBps;
using sunstar::operator""_MHz;
using sunstar::operator""_ns;

using sunstar::Param;

enum class Signal { fixed, group_flashing, occulting };
BOOST_DESCRIBE_ENUM(Signal, fixed, group_flashing, occulting)

struct Bulb {
  sunstar::Duration warm_up = 20_ns;
  sunstar::Frequency mains = 50_MHz;
  std::uint32_t filaments = 2;
  bool operator==(const Bulb&) const = default;
};
BOOST_DESCRIBE_STRUCT(Bulb, (), (warm_up, mains, filaments))
inline std::vector<Param> parameters(const Bulb*) {
  return {{"warm_up", "time until it shines", "1ns", "1ms"},
          {"mains", "rate of the supply", "1Hz"},
          {"filaments", "wires in it", "1", "64"}};
}

struct Keeper {
  std::string name = "Ann";
  Signal signal = Signal::fixed;
  std::optional<Bulb> spare = {};
  bool operator==(const Keeper&) const = default;
};
BOOST_DESCRIBE_STRUCT(Keeper, (), (name, signal, spare))
inline std::vector<Param> parameters(const Keeper*) {
  return {{"name", "who keeps watch"},
          {"signal", "what is shown on watch"},
          Param{"spare", "a bulb at hand"}.starting_from("tower.bulb")};
}

struct Tower {
  Bulb bulb;
  Signal signal = Signal::group_flashing;
  std::string stone = "granite";
  bool lit = true;
  std::uint32_t wick = 1;
  std::int16_t tide = -3;
  double lean = 0.1;
  sunstar::Bytes logbook = 8_KiB;
  sunstar::Bandwidth telegraph = 200_MBps;
  sunstar::Cycles climb{0.5};
  std::vector<Keeper> keepers = {{}, {"Bob", Signal::occulting}};
  std::array<std::int32_t, 2> position = {54, -4};
  std::optional<sunstar::Duration> fog = {};
  std::map<std::string, sunstar::Cycles> costs = {{"copy", {4}}};
  std::filesystem::path chart = {};
  bool operator==(const Tower&) const = default;
};
BOOST_DESCRIBE_STRUCT(Tower, (),
                      (bulb, signal, stone, lit, wick, tide, lean, logbook, telegraph, climb, keepers, position, fog,
                       costs, chart))
inline std::vector<Param> parameters(const Tower*) {
  return {{"bulb", "the source of light"},
          {"signal", "what the lamp shows"},
          {"stone", "what it is built of", "", "", {"granite", "sandstone"}},
          {"lit", "whether it works"},
          Param{"wick", "how far it is turned up"}.used_if("lit", {"true"}),
          {"tide", "water under the rock", "-10", "10"},
          {"lean", "how far it leans", "0", "1"},
          {"logbook", "room for entries", "1B", "1MiB"},
          {"telegraph", "rate of the wire", "1kB/s"},
          {"climb", "cycles a step", "0"},
          {"keepers", "who lives there"},
          {"position", "degrees north and east", "-180", "180"},
          {"fog", "pause of the horn; null: there is none"},
          {"costs", "cycles of each chore", "0"},
          {"chart", "file with the chart"}};
}

struct Run {
  std::uint64_t seed = 1;
  std::uint32_t trials = 5;
  std::uint32_t jobs = 0;
  bool operator==(const Run&) const = default;
};
BOOST_DESCRIBE_STRUCT(Run, (), (seed, trials, jobs))
inline std::vector<Param> parameters(const Run*) {
  return {{"seed", "of all random streams"}, {"trials", "runs", "1", "1000"}, {"jobs", "at a time", "0", "64"}};
}

struct Lighthouse {
  Tower tower;
  Run run;
  bool operator==(const Lighthouse&) const = default;
};
BOOST_DESCRIBE_STRUCT(Lighthouse, (), (tower, run))
inline std::vector<Param> parameters(const Lighthouse*) {
  return {{"tower", "the building"}, {"run", "how it is run"}};
}
inline void check(const Lighthouse& l, const std::string& path, sunstar::Problems& problems) {
  if (l.tower.keepers.size() > l.run.trials)
    problems.add(sunstar::json_path(path, "run.trials"), "is " + std::to_string(l.run.trials) + "; each of the " +
                                                             std::to_string(l.tower.keepers.size()) +
                                                             " keepers needs one");
}

}  // namespace lamp

template <>
struct sunstar::catalogue_of<lamp::Bulb> {
  static constexpr std::string_view noun = "bulb", folder = "bulbs";
};
