// SPDX-License-Identifier: MIT
#pragma once
#include <array>

#include "models/disk/drive.h"
#include "platforms/disk/load.h"
#include "platforms/disk/results.h"

// Collects the times of each request of a trial and computes the trial's figures.
namespace sunstar::disk_platform {

inline double ms(Duration d) { return seconds(d) * 1e3; }

/// How far a simulated sample of response times is from a measured one.
struct Demerit {
  std::size_t count = 0;
  double measured_mean_ms = 0;
  double ms = 0;       ///< root mean square of the horizontal distance between the two distribution curves, that is, of
                       ///< the differences between values of equal rank (Ruemmler and Wilkes 1994)
  double percent = 0;  ///< `ms` as a share of the measured mean
};

/// Both samples must have the same size. For empty samples all figures are 0.
inline Demerit demerit(std::vector<Duration> measured, std::vector<Duration> simulated) {
  assert(measured.size() == simulated.size());
  Demerit d;
  d.count = measured.size();
  if (measured.empty()) return d;
  std::sort(measured.begin(), measured.end());
  std::sort(simulated.begin(), simulated.end());
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const double difference = seconds(simulated[i] - measured[i]) * 1e3;
    squares += difference * difference;
    sum += seconds(measured[i]) * 1e3;
  }
  d.measured_mean_ms = sum / static_cast<double>(d.count);
  d.ms = std::sqrt(squares / static_cast<double>(d.count));
  d.percent = d.measured_mean_ms > 0 ? 100 * d.ms / d.measured_mean_ms : 0;
  return d;
}

/// With one decimal, for a record of a request.
inline std::string nanoseconds(Duration d) { return concat(d.count() / 1000, '.', d.count() / 100 % 10); }

inline Response response(const std::vector<Duration>& samples) {
  if (samples.empty()) return {};
  const auto p = percentiles(samples);
  return {.count = samples.size(),
          .mean_ms = sum(samples, ms) / static_cast<double>(samples.size()),
          .p50_ms = ms(p.p50),
          .p90_ms = ms(p.p90),
          .p95_ms = ms(p.p95),
          .p99_ms = ms(p.p99),
          .p999_ms = ms(p.p999),
          .max_ms = ms(p.max)};
}

inline std::vector<Duration> both(const std::array<std::vector<Duration>, 2>& of) {
  auto all = of[0];
  all.insert(all.end(), of[1].begin(), of[1].end());
  return all;
}

/// The parts of the drive's work, in the order of RequestTiming, and the bus.
class Parts {
 public:
  void add(const disk::RequestTiming& t, Duration bus) {
    const Duration parts[] = {t.overhead, t.wait, t.seek, t.rotation, t.transfer, bus};
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += parts[i];
    ++requests_;
    hits_ += t.hit;
    streamed_ += t.streamed;
  }

  /// Sets a result's means of the parts, and its figures of the buffer, if any request has been added.
  void fill(Result& result) const {
    if (requests_ == 0) return;
    const auto n = static_cast<double>(requests_);
    const auto mean = [&](std::size_t i) { return ms(sums_[i]) / n; };
    result.work = Work{{}, mean(0), mean(1), mean(2), mean(3), mean(4), mean(5)};
    result.buffer = Buffer{static_cast<double>(hits_) / n, static_cast<double>(streamed_) / n};
  }

 private:
  std::array<Duration, 6> sums_{};
  std::uint64_t requests_ = 0, hits_ = 0, streamed_ = 0;
};

/// Warns if the rig on which the drive was measured takes a tenth of a command's time or more. Where a trace has
/// measured response times, they are those of the rig.
inline void warn_of_rig(const MachineParams& machine, Result& result) {
  if (!result.work || result.measured || !result.response.mean_ms) return;
  const disk::DriveParams drive = machine.disk.placed(disk::RigCounts::alone);
  const Duration by_rig = std::max(drive.rig.read_sector, drive.rig.write_sector);
  disk::DriveParams bare = drive;
  bare.rig = {};
  const Duration else_by = std::max(machine.bus_rate.time_for(drive.sector_size.count), bare.crossing(false, 1));
  if (by_rig <= else_by) return;
  const auto each = result.array ? result.array->service_ms : result.response.mean_ms;
  const double share = result.work->bus_ms * (1 - seconds(else_by) / seconds(by_rig)) / each.value_or(1);
  if (share >= 0.1)
    result.warnings.emplace_back(
        "the rig on which the drive was measured takes a tenth of a command's time or more, because it passes data "
        "more slowly than bus and interface; machine.disk.rig.counts=nowhere leaves it out");
}

class Samples {
 public:
  void add(const Request& r, Duration response) {
    simulated_[r.write].push_back(response);
    if (r.measured == Duration{}) return;
    compared_[r.write].push_back(response);
    measured_[r.write].push_back(r.measured);
    const double error = ms(response - r.measured);
    error_ms_ += error;
    absolute_error_ms_ += std::abs(error);
    within_ += std::abs(error) <= 0.5;
  }

  std::uint64_t count() const { return simulated_[0].size() + simulated_[1].size(); }

  /// Sets a result's response times and their comparison with measured ones, bytes moved, time from the first request
  /// to the end of the last, and time until all bytes are on the medium.
  void fill(Result& result, std::uint64_t bytes, Duration elapsed, Duration on_medium) const {
    const double mib = static_cast<double>(bytes) / (1 << 20);
    if (elapsed > Duration::zero()) {
      result.throughput.mib_per_s = mib / seconds(elapsed);
      result.throughput.requests_per_s = static_cast<double>(count()) / seconds(elapsed);
      result.throughput.medium_mib_per_s = mib / seconds(on_medium);
    }
    result.elapsed_s = seconds(elapsed);
    result.bytes_moved = bytes;
    result.response = response(both(simulated_));
    result.reads = response(simulated_[0]);
    result.writes = response(simulated_[1]);
    if (measured_[0].empty() && measured_[1].empty()) return;
    result.measured = response(both(measured_));
    result.demerit = demerit();
  }

 private:
  DemeritFigures demerit() const {
    const auto all = disk_platform::demerit(both(measured_), both(compared_));
    const auto n = static_cast<double>(all.count);
    return {all.ms,
            all.percent,
            disk_platform::demerit(measured_[0], compared_[0]).percent,
            disk_platform::demerit(measured_[1], compared_[1]).percent,
            100 * static_cast<double>(within_) / n,
            error_ms_ / n,
            100 * error_ms_ / n / all.measured_mean_ms,
            absolute_error_ms_ / n,
            all.measured_mean_ms};
  }

  std::array<std::vector<Duration>, 2> simulated_, measured_, compared_;  // the last: simulated, where measured
  std::uint64_t within_ = 0;
  double error_ms_ = 0, absolute_error_ms_ = 0;
};

}  // namespace sunstar::disk_platform
