// SPDX-License-Identifier: MIT
#include "platforms/disk/grid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "models/core/error.h"
#include "platforms/disk/queue_player.h"
#include "platforms/disk/simplex.h"
#include "sw/workload/trace/csv.h"

namespace sunstar::disk_platform {
namespace {

// The eight parameters as logarithms, so that a step is a factor and none becomes negative.
constexpr Duration nvme::DriveParams::*times[] = {&nvme::DriveParams::queue_time, &nvme::DriveParams::command_time,
                                                  &nvme::DriveParams::write_time, &nvme::DriveParams::latency,
                                                  &nvme::DriveParams::read_time,  &nvme::DriveParams::program_time};
constexpr Bytes nvme::DriveParams::*sizes[] = {&nvme::DriveParams::program_size, &nvme::DriveParams::drain_size};

Point point_of(const nvme::DriveParams& drive) {
  Point p;
  for (auto time : times) p.push_back(std::log(static_cast<double>((drive.*time).count())));
  for (auto size : sizes) p.push_back(std::log(static_cast<double>((drive.*size).count)));
  return p;
}

nvme::DriveParams drive_at(nvme::DriveParams drive, const Point& p) {
  std::size_t i = 0;
  const double tail_share = seconds(drive.read_tail) / seconds(drive.read_time);
  constexpr double nanosecond = 1000;
  for (auto time : times)
    drive.*time = picoseconds(std::clamp(std::round(std::exp(p[i++]) / nanosecond), 1., 1e7) * nanosecond);
  drive.read_tail = picoseconds(seconds(drive.read_time) * tail_share * 1e12);
  const double sector = static_cast<double>(drive.sector_size.count);
  for (auto size : sizes)
    drive.*size = Bytes{static_cast<std::uint64_t>(std::clamp(std::round(std::exp(p[i++]) / sector), 1., 32768.)) *
                        drive.sector_size.count};
  drive.write_buffer = std::max(drive.write_buffer, drive.drain_size);
  return drive;
}

double logarithms_apart(double simulated, double measured) {
  return std::min(std::abs(std::log(simulated / measured)), 1.0);
}

}  // namespace

std::vector<GridPoint> read_grid(const std::string& file) {
  const bool marked = workload::read_text(file).find("likely_saturated") != std::string::npos;
  std::vector<workload::CsvReader::Column> columns{
      "r_idx", "w_idx", "offered_read_iops", "offered_write_MBps", "read_block_bytes", "read_p50_us", "read_p95_us"};
  if (marked) columns.emplace_back("likely_saturated");
  workload::CsvReader lines(file, columns);
  std::vector<GridPoint> grid;
  while (lines.next()) {
    GridPoint p;
    p.read_index = static_cast<std::uint32_t>(lines.integer(0, 1000));
    p.write_index = static_cast<std::uint32_t>(lines.integer(1, 1000));
    p.read_rate = lines.time(2);
    p.write_bytes_per_s = lines.time(3) * 1e6;
    p.read_bytes = lines.integer(4, 16 << 20);
    if (!lines.field(5).empty()) p.p50 = lines.time(5);
    if (!lines.field(6).empty()) p.p95 = lines.time(6);
    p.saturated = marked && lines.integer(7, 1) == 1;
    constexpr double most_reads = 1e9, most_written = 1e12;  // a second, as in workload
    if (p.read_rate <= 0 || p.read_rate > most_reads) lines.refuse(2, "more than 0 and at most 1e9");
    if (p.write_bytes_per_s > most_written) lines.refuse(3, "at most 1e6");
    if (p.p50 && *p.p50 <= 0) lines.refuse(5, "more than 0");
    if (p.p95 && *p.p95 <= 0) lines.refuse(6, "more than 0");
    if (p.read_bytes == 0) lines.refuse(4, "more than 0");
    grid.push_back(p);
  }
  return grid;
}

Simulated simulate(const nvme::DriveParams& drive, const GridPoint& point, const GridTool& tool, std::uint64_t seed) {
  QueuesParams load;
  load.readers = point.write_bytes_per_s > 0 ? std::max(1u, tool.processors - 1) : tool.processors;
  load.pacing = tool.pacing;
  load.read_rate = point.read_rate;
  load.read_size = Bytes{point.read_bytes};
  load.read_depth = 1000;
  load.write_rate = Bandwidth{point.write_bytes_per_s};
  load.write_depth = tool.write_depth;
  nvme::Device device(drive, seed, "machine.disk");
  QueuePlayer player(device, load, longest_duration, seed);
  const Time from = Time{} + load.warm_up, end = from + tool.duration;
  std::vector<Duration> times;
  player.play(end, [&](const QueuePlayer::Ended& c) {
    if (!c.write && c.submitted >= from) times.push_back(c.at - c.submitted);
  });
  const auto p = percentiles(times);
  const auto us = [](Duration d) { return seconds(d) * 1e6; };
  return {us(p.p50), us(p.p95), us(p.p99), us(p.p999), static_cast<double>(times.size()) / seconds(tool.duration)};
}

double distance(const nvme::DriveParams& drive, const std::vector<GridPoint>& grid, const GridTool& tool,
                std::uint64_t seed) {
  constexpr double knee = 2.5, achieved = 0.97;
  double sum = 0, least = std::numeric_limits<double>::max();
  std::size_t points = 0;
  std::map<std::uint32_t, const GridPoint*> first_saturated;  // in each row
  for (const GridPoint& p : grid) {
    if (p.saturated && p.read_index > 0) {
      auto& first = first_saturated[p.write_index];
      if (!first || p.read_index < first->read_index) first = &p;
    }
    if (!p.judged()) continue;
    const Simulated s = simulate(drive, p, tool, seed);
    sum += logarithms_apart(s.p50, *p.p50) + logarithms_apart(s.p95, *p.p95) / 2;
    least = std::min(least, *p.p50);
    ++points;
  }
  if (points == 0) return 0;
  for (const auto& [row, p] : first_saturated) {
    const Simulated s = simulate(drive, *p, tool, seed);
    if (s.rate >= achieved * p->read_rate && s.p50 < knee * least) sum += logarithms_apart(s.p50, knee * least);
    ++points;
  }
  return sum / static_cast<double>(points);
}

nvme::DriveParams fitted(nvme::DriveParams from, const std::vector<GridPoint>& grid, const GridTool& tool,
                         std::size_t evaluations, std::uint64_t seed) {
  const auto value = [&](const Point& p) { return distance(drive_at(from, p), grid, tool, seed); };
  return drive_at(from, minimum(point_of(from), 0.4, evaluations, value));
}

}  // namespace sunstar::disk_platform
