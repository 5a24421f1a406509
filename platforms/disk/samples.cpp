// SPDX-License-Identifier: MIT
#include "platforms/disk/samples.h"

#include <cmath>

#include "platforms/disk/demerit.h"

namespace sunstar::disk_platform {
namespace {

double ms(Duration d) { return seconds(d) * 1e3; }

std::vector<Duration> both(const std::array<std::vector<Duration>, 2>& of) {
  auto all = of[0];
  all.insert(all.end(), of[1].begin(), of[1].end());
  return all;
}

Response response(const std::vector<Duration>& samples) {
  if (samples.empty()) return {};
  const auto p = percentiles(samples);
  double sum = 0;
  for (Duration d : samples) sum += ms(d);
  return {samples.size(), sum / static_cast<double>(samples.size()), ms(p.p50), ms(p.p90), ms(p.p99), ms(p.max)};
}

}  // namespace

void Parts::add(const disk::RequestTiming& t, Duration bus) {
  const Duration parts[] = {t.overhead, t.wait, t.seek, t.rotation, t.transfer, bus};
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += parts[i];
}

Work Parts::mean(std::uint64_t requests) const {
  const auto part = [&](std::size_t i) { return ms(sums_[i]) / static_cast<double>(requests); };
  return {part(0), part(1), part(2), part(3), part(4), part(5)};
}

WorkShare Parts::share() const {
  Duration all{0};
  for (Duration d : sums_) all += d;
  const auto part = [&](std::size_t i) { return all > Duration::zero() ? seconds(sums_[i]) / seconds(all) : 0; };
  return {part(0), part(1), part(2), part(3), part(4), part(5)};
}

void Samples::add(const Request& r, Duration response, bool compared) {
  simulated_[r.write].push_back(response);
  if (!compared) return;
  measured_[r.write].push_back(r.measured);
  const double error = ms(response - r.measured);
  error_ms_ += error;
  absolute_error_ms_ += std::abs(error);
  within_ += std::abs(error) <= 0.5;
}

Response Samples::all() const { return response(both(simulated_)); }
Response Samples::reads() const { return response(simulated_[0]); }
Response Samples::writes() const { return response(simulated_[1]); }

DemeritFigures Samples::demerit() const {
  const auto all = disk_platform::demerit(both(measured_), both(simulated_));
  const auto n = static_cast<double>(all.count);
  return {all.ms,
          all.percent,
          disk_platform::demerit(measured_[0], simulated_[0]).percent,
          disk_platform::demerit(measured_[1], simulated_[1]).percent,
          100 * static_cast<double>(within_) / n,
          error_ms_ / n,
          100 * error_ms_ / n / all.measured_mean_ms,
          absolute_error_ms_ / n,
          all.measured_mean_ms};
}

}  // namespace sunstar::disk_platform
