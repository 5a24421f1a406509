// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "models/core/critical_path.h"
#include "platforms/kit/summary.h"
#include "platforms/network/result.h"
#include "platforms/network/terminals.h"

namespace sunstar::traffic {

/// The figures of the measured messages: the messages created in the window after warm-up, or all messages of a trace.
class Measurement {
 public:
  /// `cycle` is the routers' cycle, in which latencies are also given.
  Measurement(const Config& config, Duration cycle) : trace_(config.workload.kind.is<TraceParams>()), cycle_(cycle) {
    if (trace_) return;
    const auto& synthetic = config.workload.kind.as<SyntheticParams>();
    const auto cycles = [&](std::uint64_t n) { return static_cast<std::int64_t>(n) * cycle; };
    begin_ = Time{cycles(synthetic.warm_up)};
    end_ = begin_ + cycles(synthetic.measured);
    last_ = end_ + cycles(synthetic.drain);
  }

  bool trace() const { return trace_; }
  /// The begin and end of the window, and the last moment of the drain after it. For a trace: 0 and Time::max().
  Time begin() const { return begin_; }
  Time end() const { return end_; }
  Time last() const { return last_; }
  std::pair<Time, Time> window() const { return {begin_, end_}; }

  /// Adds a measured message that has arrived; its unloaded latency would have been `zero_load`.
  void add(const Terminals::Arrival& a, Duration zero_load) {
    from_creation_.push_back(a.arrived - a.created);
    from_injection_.push_back(a.arrived - a.entered);
    zero_load_ += seconds(zero_load);
    if (times_) {
      const Duration on_its_way = std::min(zero_load, a.arrived - a.entered);
      times_->add({a.entered - a.created, on_its_way, a.arrived - a.entered - on_its_way});
    }
    hops_ += a.hops;
    bytes_ += a.bytes;
    if (keep_records) records_.push_back(a);
  }

  std::uint64_t count() const { return from_creation_.size(); }
  std::uint64_t bytes() const { return bytes_; }
  double mean_zero_load() const { return count() == 0 ? 0 : zero_load_ / static_cast<double>(count()); }
  double mean_hops() const { return count() == 0 ? 0 : static_cast<double>(hops_) / static_cast<double>(count()); }
  double mean_from_creation() const { return mean(from_creation_); }
  /// Mean latency divided by mean unloaded latency; 1 if nothing has arrived.
  double slowdown() const { return mean_zero_load() == 0 ? 1 : mean_from_creation() / mean_zero_load(); }
  /// Whether the half-width of the mean's 95 % confidence interval is at most `precision` times the mean.
  bool precise(double precision) const { return half_width(from_creation_) <= precision * mean_from_creation(); }

  Latency latency() const {
    return latency_of(from_creation_, "of each measured message, from its creation to the arrival of its tail");
  }

  Latency latency_from_injection() const {
    return latency_of(from_injection_,
                      "of each measured message, from its departure from its node's queue to the arrival of its tail");
  }

  /// From now on, also notes the times of the messages' stages: in their node's queue, in flight, behind other
  /// messages.
  void explain() {
    times_.emplace("message", std::vector<std::string_view>{"source_queue", "network", "network_wait"});
  }
  /// The stages' times; only after explain().
  const RequestTimes& times() const { return *times_; }

  /// CSV with one line for each message, in order of arrival; empty unless keep_records was set before.
  std::string records_text() const {
    std::string text = "created_ns,injected_ns,arrived_ns,from,to,bytes,hops\n";
    const auto ns = [](Time t) {
      const std::int64_t ps = t.time_since_epoch().count();
      std::string fraction = std::to_string(ps % 1000);
      return std::to_string(ps / 1000) + (ps % 1000 == 0 ? "" : "." + std::string(3 - fraction.size(), '0') + fraction);
    };
    for (const Terminals::Arrival& a : records_)
      text += concat(ns(a.created), ',', ns(a.entered), ',', ns(a.arrived), ',', a.from, ',', a.to, ',', a.bytes, ',',
                     a.hops, '\n');
    return text;
  }

  bool keep_records = false;

 private:
  static double mean(const std::vector<Duration>& values) {
    return values.empty() ? 0 : sum(values, [](Duration d) { return seconds(d); }) / static_cast<double>(values.size());
  }

  // Half the width of the 95 % confidence interval of the mean, from the means of the batches in order of arrival.
  static double half_width(const std::vector<Duration>& values) {
    constexpr double t_19 = 2.093;
    if (values.size() < least_messages) return mean(values);
    std::vector<double> means;
    for (std::size_t b = 0; b < batches; ++b) {
      const auto from = values.begin() + static_cast<std::ptrdiff_t>(values.size() * b / batches);
      const auto to = values.begin() + static_cast<std::ptrdiff_t>(values.size() * (b + 1) / batches);
      means.push_back(mean({from, to}));
    }
    const kit::Summary s = kit::summarise(means);
    return t_19 * s.coefficient_of_variation * s.mean / std::sqrt(static_cast<double>(batches));
  }

  Latency latency_of(const std::vector<Duration>& values, std::string span) const {
    Latency all{kit::latency(std::move(span), percentiles(values))};
    if (values.empty()) return all;
    const auto cycles = [&](double s) { return std::round(s / seconds(cycle_) * 1e6) / 1e6; };
    all.mean_s = mean(values);
    all.half_width_s = half_width(values);
    all.mean_cycles = cycles(*all.mean_s);
    all.half_width_cycles = cycles(*all.half_width_s);
    all.p50_cycles = cycles(*all.p50_s);
    all.p90_cycles = cycles(*all.p90_s);
    all.p99_cycles = cycles(*all.p99_s);
    all.max_cycles = cycles(*all.max_s);
    return all;
  }

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
