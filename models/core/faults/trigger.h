// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/one_of.h"
#include "models/core/param.h"

// When a fault begins to strike.
namespace sunstar::faults {

struct AtTime {
  static constexpr std::string_view kind = "time";
  static constexpr std::string_view help = "from a point of simulated time on";
  Duration at{};
};
BOOST_DESCRIBE_STRUCT(AtTime, (), (at))
inline std::vector<Param> parameters(const AtTime*) { return {{"at", "simulated time", "0s", "1000000s"}}; }

struct AtOperation {
  static constexpr std::string_view kind = "operation";
  static constexpr std::string_view help =
      "from the part's nth operation on that the effect can strike: command, connection or message";
  std::uint64_t number = 1;
};
BOOST_DESCRIBE_STRUCT(AtOperation, (), (number))
inline std::vector<Param> parameters(const AtOperation*) {
  return {{"number", "which operation, counted from 1", "1", "1000000000000"}};
}

struct AtRate {
  static constexpr std::string_view kind = "rate";
  static constexpr std::string_view help = "each operation with a probability, drawn from the seed";
  double probability = 0;
};
BOOST_DESCRIBE_STRUCT(AtRate, (), (probability))
inline std::vector<Param> parameters(const AtRate*) {
  return {{"probability", "that an operation is struck", "0", "1"}};
}

struct Exponential {
  static constexpr std::string_view kind = "exponential";
  static constexpr std::string_view help = "after times drawn from an exponential distribution";
  Duration mean = std::chrono::seconds{1};
};
BOOST_DESCRIBE_STRUCT(Exponential, (), (mean))
inline std::vector<Param> parameters(const Exponential*) {
  return {{"mean", "mean time from one strike to the next", "1ns", "1000000s"}};
}

struct Weibull {
  static constexpr std::string_view kind = "weibull";
  static constexpr std::string_view help =
      "after times drawn from a Weibull distribution. Times between replacements of disks in the field have shapes of "
      "0.7 to 0.8 (Schroeder and Gibson, FAST 2007)";
  Duration scale = std::chrono::seconds{1};
  double shape = 0.7;
};
BOOST_DESCRIBE_STRUCT(Weibull, (), (scale, shape))
inline std::vector<Param> parameters(const Weibull*) {
  return {{"scale", "63 % of the times are shorter", "1ns", "1000000s"},
          {"shape", "1: exponential; less: strikes come in clusters", "0.1", "10"}};
}

struct Trigger {
  OneOf<AtTime, AtOperation, AtRate, Exponential, Weibull> kind;
};
BOOST_DESCRIBE_STRUCT(Trigger, (), (kind))
inline std::vector<Param> parameters(const Trigger*) { return {{"kind", "what makes the fault strike"}}; }

}  // namespace sunstar::faults
