// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "models/core/critical_path.h"
#include "platforms/network/result.h"
#include "platforms/network/terminals.h"

namespace sunstar::traffic {

/// The figures of the measured messages: the messages created in the window after warm-up, or all messages of a trace.
class Measurement {
 public:
  /// The confidence interval of the mean latency comes from the means of this many batches, each of at least two
  /// messages. With fewer messages their scatter is unknown, and there is no verdict.
  static constexpr std::size_t batches = 20, least_messages = 2 * batches;

  /// `cycle` is the routers' cycle, in which latencies are also given.
  Measurement(const Config& config, Duration cycle);
  bool trace() const { return trace_; }
  /// The begin and end of the window, and the last moment of the drain after it. For a trace: 0 and Time::max().
  Time begin() const { return begin_; }
  Time end() const { return end_; }
  Time last() const { return last_; }
  std::pair<Time, Time> window() const { return {begin_, end_}; }

  /// Adds a measured message that has arrived; its unloaded latency would have been `zero_load`.
  void add(const Terminals::Arrival& a, Duration zero_load);
  std::uint64_t count() const { return from_creation_.size(); }
  std::uint64_t bytes() const { return bytes_; }
  double mean_zero_load() const { return count() == 0 ? 0 : zero_load_ / static_cast<double>(count()); }
  double mean_hops() const { return count() == 0 ? 0 : static_cast<double>(hops_) / static_cast<double>(count()); }
  double mean_from_creation() const { return mean(from_creation_); }
  /// Mean latency divided by mean unloaded latency; 1 if nothing has arrived.
  double slowdown() const { return mean_zero_load() == 0 ? 1 : mean_from_creation() / mean_zero_load(); }
  /// Whether the half-width of the mean's 95 % confidence interval is at most `precision` times the mean.
  bool precise(double precision) const { return half_width(from_creation_) <= precision * mean_from_creation(); }

  Latency latency() const;
  Latency latency_from_injection() const;
  /// From now on, also notes the times of the messages' stages: in their node's queue, in flight, behind other
  /// messages.
  void explain() {
    times_.emplace("message", std::vector<std::string_view>{"source_queue", "network", "network_wait"});
  }
  /// The stages' times; only after explain().
  const RequestTimes& times() const { return *times_; }
  /// CSV with one line for each message, in order of arrival; empty unless keep_records was set before.
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
  std::optional<RequestTimes> times_;
  double zero_load_ = 0;
  std::uint64_t hops_ = 0, bytes_ = 0;
};

}  // namespace sunstar::traffic
