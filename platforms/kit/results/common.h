// SPDX-License-Identifier: MIT
#pragma once
#include <optional>

#include "models/core/durations.h"
#include "models/core/figure.h"

// Sections that the results of several platforms have.
namespace sunstar::kit {

struct Throughput {
  double mib_per_s = 0;
  std::optional<double> coefficient_of_variation = {};
  double medium_mib_per_s = 0;
};
BOOST_DESCRIBE_STRUCT(Throughput, (), (mib_per_s, coefficient_of_variation, medium_mib_per_s))
inline std::vector<Figure> figures(const Throughput*) {
  return {
      {"mib_per_s", "bytes of the files divided by the time from the first request to the end of the last", "MiB/s"},
      Figure{"coefficient_of_variation", "of mib_per_s over the trials: sample standard deviation divided by mean"}
          .variation_of("mib_per_s"),
      {"medium_mib_per_s", "the same, but until the last byte is on the medium", "MiB/s"}};
}

/// Percentiles of times by nearest rank; unknown without times. For more than Durations::most_kept times they are
/// within Durations::error.
struct Latency {
  std::string span;  ///< the timed span, in words
  std::uint64_t count = 0;
  std::optional<double> p50_s = {}, p90_s = {}, p99_s = {}, max_s = {};
};
BOOST_DESCRIBE_STRUCT(Latency, (), (span, count, p50_s, p90_s, p99_s, max_s))
inline std::vector<Figure> figures(const Latency*) {
  return {{"span", "the timed span"},
          {"count", "the number of times"},
          {"p50_s",
           "half of the times are no longer; this and the next two are exact for up to 1,048,576 times, and within 0.1 "
           "% for more",
           "s"},
          {"p90_s", "90 % of the times are no longer", "s"},
          {"p99_s", "99 % of the times are no longer", "s"},
          {"max_s", "the longest", "s"}};
}
inline Latency latency(std::string span, const Percentiles& p) {
  const auto time = [&](Duration d) { return p.count == 0 ? std::nullopt : std::optional(seconds(d)); };
  return {std::move(span), p.count, time(p.p50), time(p.p90), time(p.p99), time(p.max)};
}

}  // namespace sunstar::kit
