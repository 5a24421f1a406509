// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/core/one_of.h"
#include "models/core/param.h"
#include "models/core/problems.h"
#include "models/core/quantity.h"
#include "platforms/kit/run/run_params.h"

// A configuration with tagged choices and with bases, for the tests of the kit: a ferry. Without a word about it, she
// sails; steam and oars both need a crew.
namespace ferry {

using sunstar::json_path;
using sunstar::Param;
using sunstar::Problems;

struct Sails {
  static constexpr std::string_view kind = "sails";
  static constexpr std::string_view help = "the wind does the work";
  std::uint32_t masts = 2;
  sunstar::Duration hoist = std::chrono::seconds{30};
  bool operator==(const Sails&) const = default;
};
BOOST_DESCRIBE_STRUCT(Sails, (), (masts, hoist))
inline std::vector<Param> parameters(const Sails*) {
  return {{"masts", "that carry sails", "1", "4"}, {"hoist", "time to set them", "1s", "1000s"}};
}

struct Engine {
  std::uint32_t pistons = 4;
  bool safe = true;
  double pressure = 2;
  bool operator==(const Engine&) const = default;
};
BOOST_DESCRIBE_STRUCT(Engine, (), (pistons, safe, pressure))
inline std::vector<Param> parameters(const Engine*) {
  return {{"pistons", "how many", "1", "16"},
          {"safe", "whether a valve opens"},
          Param{"pressure", "at which it opens", "1", "9"}.used_if("safe", {"true"}).usually("", "7")};
}

struct Steam {
  static constexpr std::string_view kind = "steam";
  static constexpr std::string_view help = "coal does the work";
  std::uint32_t crew = 6;
  Engine engine;
  std::filesystem::path log = {};
  bool operator==(const Steam&) const = default;
};
BOOST_DESCRIBE_STRUCT(Steam, (), (crew, engine, log))
inline std::vector<Param> parameters(const Steam*) {
  return {{"crew", "hands aboard", "1", "99"}, {"engine", "what turns the wheel"}, {"log", "file of the engineer"}};
}
inline void check(const Steam& s, const std::string& path, Problems& problems) {
  if (s.crew < s.engine.pistons)
    problems.add(json_path(path, "crew"),
                 "is " + std::to_string(s.crew) + "; it must be " + std::to_string(s.engine.pistons) + " at least");
}

struct Oars {
  static constexpr std::string_view kind = "oars";
  static constexpr std::string_view help = "the crew does the work";
  std::uint32_t crew = 6;
  bool operator==(const Oars&) const = default;
};
BOOST_DESCRIBE_STRUCT(Oars, (), (crew))
inline std::vector<Param> parameters(const Oars*) { return {{"crew", "hands aboard", "1", "99"}}; }

/// What every vessel has.
struct Vessel {
  std::string name = "Ann";
  std::uint32_t boats = 1;
  bool operator==(const Vessel&) const = default;
};
BOOST_DESCRIBE_STRUCT(Vessel, (), (name, boats))
inline std::vector<Param> parameters(const Vessel*) {
  return {{"name", "painted on her"}, {"boats", "for the worst", "0", "9"}};
}
inline void check(const Vessel& v, const std::string& path, Problems& problems) {
  if (v.name.empty()) problems.add(json_path(path, "name"), "is empty");
}

struct Ferry : Vessel {
  sunstar::OneOf<Sails, Steam, Oars> drive;
  std::uint32_t berths = 10;
  bool operator==(const Ferry&) const = default;
};
BOOST_DESCRIBE_STRUCT(Ferry, (Vessel), (drive, berths))
inline std::vector<Param> parameters(const Ferry*) {
  return {{"drive", "what moves her"},
          {"berths", "for passengers", "0", "100"},
          {"boats", "for the worst, on both sides", "0", "9"}};
}
inline void check(const Ferry& f, const std::string& path, Problems& problems) {
  if (f.berths > 20 * f.boats) problems.add(json_path(path, "berths"), "is too many for the boats");
}

struct Line {
  Ferry ferry;
  std::vector<Ferry> others = {};
  sunstar::kit::RunParams run;
  bool operator==(const Line&) const = default;
};
BOOST_DESCRIBE_STRUCT(Line, (), (ferry, others, run))
inline std::vector<Param> parameters(const Line*) {
  return {{"ferry", "the first of the line"}, {"others", "more of them"}, {"run", "how often"}};
}

}  // namespace ferry
