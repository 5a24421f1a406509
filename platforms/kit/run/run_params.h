// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "platforms/kit/statistics_text.h"

namespace sunstar::kit {

/// The section `run` of every configuration: number of trials and first seed. A platform with more parameters derives
/// from it and may describe `seed` more closely.
struct RunParams {
  std::uint64_t seed = 1;
  std::uint32_t trials = 1;
  std::uint32_t jobs = 0;
  By statistics = By::automatic;
  bool operator==(const RunParams&) const = default;
};
BOOST_DESCRIBE_STRUCT(RunParams, (), (seed, trials, jobs, statistics))
inline std::vector<Param> parameters(const RunParams*) {
  return {{"seed", "the seed of all random numbers"},
          {"trials", "runs with seeds seed, seed + 1, ...; the result is their mean", "1", "10000"},
          {"jobs", "trials at the same time; 0: one for each processor of the host", "0", "1024"},
          {"statistics",
           "part: the result has the statistics of every part; kind: parts of one kind together, with mean, least, "
           "greatest and sum; automatic: by part up to 30,000 statistics, then by kind"}};
}

}  // namespace sunstar::kit
