// SPDX-License-Identifier: MIT
#include "platforms/kit/results/common.h"

namespace sunstar::kit {

Latency latency(std::string span, const Percentiles& p) {
  const auto time = [&](Duration d) { return p.count == 0 ? std::nullopt : std::optional(seconds(d)); };
  return {std::move(span), p.count, time(p.p50), time(p.p90), time(p.p99), time(p.max)};
}

}  // namespace sunstar::kit
