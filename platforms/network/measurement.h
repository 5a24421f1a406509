// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "platforms/network/config.h"
#include "platforms/network/latency.h"
#include "platforms/network/terminals.h"

namespace sunstar::traffic {

/// What is known of the messages that are measured: those created in the window after warm-up, or
/// all of a trace.
class Measurement {
 public:
  /// The confidence interval of the mean latency is that of the means of so many batches, of two messages each at
  /// least: with fewer messages nothing is known of how they scatter, and nothing is said of the network.
  static constexpr std::size_t batches = 20, least_messages = 2 * batches;

  /// `cycle`: of the routers, the unit in which latencies are also given.
  Measurement(const Config& config, Duration cycle);
  bool trace() const { return trace_; }
  /// Of the window, and the end of the drain after it; of a trace from 0 to Time::max().
  Time begin() const { return begin_; }
  Time end() const { return end_; }
  Time last() const { return last_; }
  std::pair<Time, Time> window() const { return {begin_, end_}; }

  /// A measured message has arrived, which alone would have taken `zero_load`.
  void add(const Terminals::Arrival& a, Duration zero_load);
  std::uint64_t count() const { return from_creation_.size(); }
  std::uint64_t bytes() const { return bytes_; }
  double mean_zero_load() const { return count() == 0 ? 0 : zero_load_ / static_cast<double>(count()); }
  double mean_hops() const { return count() == 0 ? 0 : static_cast<double>(hops_) / static_cast<double>(count()); }
  double mean_from_creation() const { return mean(from_creation_); }
  /// Mean latency over that without contention; 1 if nothing has arrived.
  double slowdown() const { return mean_zero_load() == 0 ? 1 : mean_from_creation() / mean_zero_load(); }
  /// Whether the mean is known to the share of itself that is asked for, with 95 % confidence.
  bool precise(double precision) const { return half_width(from_creation_) <= precision * mean_from_creation(); }

  Latency latency() const;
  Latency latency_from_injection() const;
  /// CSV, a line a message in order of arrival; kept only if keep_records was set before.
  std::string records_text() const;

  bool keep_records = false;

 private:
  static double mean(const std::vector<Duration>& values);
  static double half_width(const std::vector<Duration>& values);
  Latency latency_of(const std::vector<Duration>& values, std::string span) const;

  bool trace_;
  Duration cycle_;
  Time begin_{}, end_ = Time::max(), last_ = Time::max();
  std::vector<Duration> from_creation_, from_injection_;
  std::vector<Terminals::Arrival> records_;
  double zero_load_ = 0;
  std::uint64_t hops_ = 0, bytes_ = 0;
};

}  // namespace sunstar::traffic
