// SPDX-License-Identifier: MIT
#include "platforms/disk/queue_player.h"

namespace sunstar::disk_platform {
namespace {

/// Of a heap, the earliest end first.
bool later(const NvmeCommands::Ended& a, const NvmeCommands::Ended& b) { return a.at > b.at; }

}  // namespace

QueuePlayer::QueuePlayer(nvme::Device& device, const QueuesParams& load, Duration limit, std::uint64_t seed)
    : device_(device), load_(load), commands_(device, limit), random_(seed, "workload") {
  const auto begin = [&](bool write, double rate, std::uint32_t depth) {
    Job job;
    job.write = write;
    job.interval = from_seconds(1 / rate);
    job.depth = depth;
    // Jobs start at different times within an interval.
    job.next = Time{} + picoseconds(random_.uniform() * static_cast<double>(job.interval.count()));
    jobs_.push_back(std::move(job));
  };
  for (std::uint32_t r = 0; r < load.readers; ++r) begin(false, load.read_rate / load.readers, load.read_depth);
  if (const double rate = load.write_rate.bytes_per_second; rate > 0)
    begin(true, rate / static_cast<double>(load.write_size.count), load.write_depth);
}

void QueuePlayer::play(Time end, const Notice& ended) {
  using Turn = std::pair<Time, std::uint32_t>;  // when which job goes on
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  for (std::uint32_t j = 0; j < jobs_.size(); ++j) turns.push({Time{}, j});
  while (!turns.empty()) {
    const auto [now, j] = turns.top();
    turns.pop();
    if (now < end) turns.push({step(jobs_[j], j, now, ended), j});
    else
      while (!jobs_[j].under_way.empty()) reap(jobs_[j], now, now, ended);
  }
}

/// A job's next step; returns when it goes on.
Time QueuePlayer::step(Job& job, std::uint32_t number, Time now, const Notice& ended) {
  const bool closed = load_.pacing == Pacing::closed && !job.write;
  if (job.under_way.size() == job.depth) return reap(job, now, now, ended);
  if (closed || job.next <= now) {
    submit(job, number, now);
    job.next += pause(job);
    return now + load_.submit_time;
  }
  const Duration ahead = job.next - now;
  Time last = now;
  while (!job.under_way.empty() && (load_.quiesce || job.under_way.front().at <= job.next))
    last = reap(job, now, last, ended);
  return load_.quiesce ? last + ahead : job.next;
}

/// Until its next command is due.
Duration QueuePlayer::pause(const Job& job) {
  if (job.write || load_.pacing != Pacing::poisson) return job.interval;
  return picoseconds(-std::log1p(-random_.uniform()) * static_cast<double>(job.interval.count()));
}

void QueuePlayer::submit(Job& job, std::uint32_t number, Time now) {
  const nvme::DriveParams& drive = device_.drive().params();
  const std::uint64_t bytes = (job.write ? load_.write_size : load_.read_size).count,
                      places = drive.capacity.count / bytes, sector = drive.sector_size.count;
  const std::uint64_t place = job.write ? job.place++ % places : random_.below(places);
  job.under_way.push_back(
      commands_.submit(now, number, job.write, place * bytes / sector, static_cast<std::uint32_t>(bytes / sector)));
  std::ranges::push_heap(job.under_way, later);
}

/// Sees the end of the next command to end, looking from `from` on. Returns when.
Time QueuePlayer::reap(Job& job, Time now, Time from, const Notice& ended) {
  std::ranges::pop_heap(job.under_way, later);
  Ended command = job.under_way.back();
  job.under_way.pop_back();
  commands_.seen(command);
  const Time seen = std::max(from, command.at);
  if (load_.quiesce) command.at = seen;
  ended(command);
  return std::max(now, seen);
}

}  // namespace sunstar::disk_platform
