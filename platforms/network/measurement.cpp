// SPDX-License-Identifier: MIT
#include "platforms/network/measurement.h"

#include "platforms/kit/summary.h"

namespace sunstar::traffic {

Measurement::Measurement(const Config& config, Duration cycle)
    : trace_(config.workload.kind.is<TraceParams>()), cycle_(cycle) {
  if (trace_) return;
  const auto& synthetic = config.workload.kind.as<SyntheticParams>();
  const auto cycles = [&](std::uint64_t n) { return static_cast<std::int64_t>(n) * cycle; };
  begin_ = Time{cycles(synthetic.warm_up)};
  end_ = begin_ + cycles(synthetic.measured);
  last_ = end_ + cycles(synthetic.drain);
}

void Measurement::add(const Terminals::Arrival& a, Duration zero_load) {
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

std::string Measurement::records_text() const {
  std::string text = "created_ns,injected_ns,arrived_ns,from,to,bytes,hops\n";
  const auto ns = [](Time t) {
    const std::int64_t ps = t.time_since_epoch().count();
    std::string fraction = std::to_string(ps % 1000);
    return std::to_string(ps / 1000) + (ps % 1000 == 0 ? "" : "." + std::string(3 - fraction.size(), '0') + fraction);
  };
  for (const Terminals::Arrival& a : records_)
    text += ns(a.created) + "," + ns(a.entered) + "," + ns(a.arrived) + "," + std::to_string(a.from) + "," +
            std::to_string(a.to) + "," + std::to_string(a.bytes) + "," + std::to_string(a.hops) + "\n";
  return text;
}

double Measurement::mean(const std::vector<Duration>& values) {
  double sum = 0;
  for (const Duration d : values) sum += seconds(d);
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// Half the width of the 95 % confidence interval of the mean, from the means of the batches in order of arrival.
double Measurement::half_width(const std::vector<Duration>& values) {
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

Latency Measurement::latency() const {
  return latency_of(from_creation_, "of each measured message, from its creation to the arrival of its tail");
}

Latency Measurement::latency_from_injection() const {
  return latency_of(from_injection_,
                    "of each measured message, from its departure from its node's queue to the arrival of its tail");
}

Latency Measurement::latency_of(const std::vector<Duration>& values, std::string span) const {
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

Verdict verdict(const Evidence& e) {
  if (e.messages < Measurement::least_messages + e.lost) return {e.offered, {}, "none: too few messages measured"};
  const bool slow = e.slowdown > saturated_slowdown;
  return {e.offered, !e.drained || slow,
          accepts_too_little(e) ? "saturated: less than 95 % of the load is accepted"
          : !e.drained          ? "saturated: measured messages still wait when the drain ends"
          : slow                ? "saturated: messages take more than 4 times as long as without contention"
          : e.lost > 0          ? "steady: all measured messages have arrived or vanished"
                                : "steady: all measured messages have arrived"};
}

}  // namespace sunstar::traffic
