// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>

#include "models/core/quantity.h"

namespace sunstar {

/// Percentiles by nearest rank: p90 is the least value that at least 90 % of the values do not exceed; p999 stands for
/// 99.9 %.
struct Percentiles {
  std::size_t count = 0;
  Duration p50{}, p90{}, p95{}, p99{}, p999{}, max{};
};
/// Exact.
Percentiles percentiles(std::vector<Duration> values);

/// Many durations, none negative. It keeps up to `most_kept`; it counts more durations in the classes of a histogram,
/// and percentiles are then within `error` of the exact ones. The number and the maximum are always exact.
class Durations {
 public:
  static constexpr std::size_t most_kept = std::size_t{1} << 20;
  static constexpr double error = 0.001;

  void add(Duration d) {
    ++count_;
    if (d > max_) max_ = d;
    if (classes_.empty() && kept_.size() < most_kept) kept_.push_back(d);
    else classify(d);
  }
  std::size_t count() const { return count_; }
  /// The durations, in the order in which they came; empty if there are more than most_kept.
  const std::vector<Duration>& kept() const { return kept_; }
  Percentiles percentiles() const;

 private:
  void classify(Duration);

  std::size_t count_ = 0;
  Duration max_{};
  std::vector<Duration> kept_;
  std::vector<std::uint64_t> classes_;  // empty as long as all are kept
};

}  // namespace sunstar
