// SPDX-License-Identifier: MIT
#pragma once
#include <optional>

#include "models/core/figure.h"
#include "platforms/kit/results/common.h"

namespace sunstar::traffic {

/// Latencies of messages in seconds and in cycles of the routers; unknown if no message has arrived.
struct Latency : kit::Latency {
  std::optional<double> mean_s = {}, mean_cycles = {}, half_width_s = {}, half_width_cycles = {};
  std::optional<double> p50_cycles = {}, p90_cycles = {}, p99_cycles = {}, max_cycles = {};
};
BOOST_DESCRIBE_STRUCT(Latency, (kit::Latency),
                      (mean_s, mean_cycles, half_width_s, half_width_cycles, p50_cycles, p90_cycles, p99_cycles,
                       max_cycles))
inline std::vector<Figure> figures(const Latency*) {
  return {{"mean_s", "mean", "s"},
          {"mean_cycles", "mean", "cycles"},
          {"half_width_s", "half the width of the 95 % confidence interval of the mean", "s"},
          {"half_width_cycles", "half the width of that interval", "cycles"},
          {"p50_cycles", "half of them took no longer", "cycles"},
          {"p90_cycles", "90 % of them took no longer", "cycles"},
          {"p99_cycles", "99 % of them took no longer", "cycles"},
          {"max_cycles", "the longest", "cycles"}};
}

}  // namespace sunstar::traffic
