// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/disk/nvme_player.h"

namespace sunstar::disk_platform {

/// One of `n` numbers, the k-th with a share of k^-s (rejection-inversion; Hoermann and Derflinger 1996).
inline std::uint64_t zipf(RandomStream& random, std::uint64_t n, double s) {
  const bool harmonic = std::abs(s - 1) < 1e-9;
  const auto area = [&](double x) { return harmonic ? std::log(x) : (std::pow(x, 1 - s) - 1) / (1 - s); };
  const auto inverse = [&](double y) { return harmonic ? std::exp(y) : std::pow(1 + y * (1 - s), 1 / (1 - s)); };
  const double most = static_cast<double>(n), low = area(1.5) - 1, high = area(most + 0.5);
  while (true) {
    const double u = low + random.uniform() * (high - low), k = std::clamp(std::round(inverse(u)), 1., most);
    if (u >= area(k + 0.5) - std::pow(k, -s)) return static_cast<std::uint64_t>(k) - 1;
  }
}

/// The jobs of a workload of the kind queues, with an NVMe drive. A job takes `submit_time` for a command, so it has
/// its next command ready that much later. With `quiesce` a job is as one of fio (io_u.c, rate_ddir): it submits while
/// it is behind its pace, without looking at completions; once it is ahead it waits for all of its commands, and then
/// for as long as it was ahead.
class QueuePlayer {
 public:
  struct Ended : NvmeCommands::Ended {
    std::uint32_t job = 0;  ///< number of its entry in the configuration
    std::uint64_t bytes = 0;
  };
  using Notice = std::function<void(const Ended&)>;

  /// Of a heap, the earliest end first.
  static bool later(const Ended& a, const Ended& b) { return a.at > b.at; }

  /// All must outlive it.
  QueuePlayer(nvme::Device& device, const QueuesParams& load, Duration limit, std::uint64_t seed)
      : device_(device), load_(load), commands_(device, limit), random_(seed, "workload") {
    for (std::uint32_t entry = 0; entry < load.jobs.size(); ++entry) {
      const JobParams& params = load.jobs[entry];
      const std::uint64_t rest = device.drive().params().capacity.count - params.offset.count;
      Job job{&params, entry, params.span.count ? params.span.count : rest,
              std::ranges::min(params.sizes, {}, &SizeShare::size).size.count};
      if (params.pacing != Pacing::closed) job.interval = from_seconds(1 / (params.rate / params.number));
      for (std::uint32_t j = 0; j < params.number; ++j) {
        // Jobs start at different times within an interval.
        job.next = Time{} + picoseconds(random_.uniform() * static_cast<double>(job.interval.count()));
        jobs_.push_back(job);
      }
    }
  }

  /// Submits commands until `end`, and sees the end of all of them. Calls ended() in the order in which jobs see it.
  void play(Time end, const Notice& ended) {
    using Turn = std::pair<Time, std::uint32_t>;  // when which job goes on
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
    for (std::uint32_t j = 0; j < jobs_.size(); ++j) turns.push({Time{}, j});
    while (!turns.empty()) {
      const auto [now, j] = turns.top();
      turns.pop();
      const std::uint64_t amount = jobs_[j].params->amount.count;
      if (now < end && (amount == 0 || jobs_[j].submitted < amount)) turns.push({step(jobs_[j], j, now, ended), j});
      else
        while (!jobs_[j].under_way.empty()) reap(jobs_[j], now, now, ended);
    }
  }

  /// The commands given to the drive.
  const Told& told() const { return commands_.told(); }

 private:
  struct Job {
    const JobParams* params;
    std::uint32_t entry;  // in the configuration
    std::uint64_t span, unit;
    Duration interval{};
    Time next{};                          // when its next command is due
    std::array<std::uint64_t, 2> ends{};  // of its last sequential read and write, from its offset on
    std::uint64_t submitted = 0;          // bytes
    bool thinks = false;                  // before its next command
    std::vector<Ended> under_way = {};    // a heap, the earliest first
  };

  /// A job's next step; returns when it goes on.
  Time step(Job& job, std::uint32_t number, Time now, const Notice& ended) {
    const JobParams& params = *job.params;
    if (job.under_way.size() == params.depth) return reap(job, now, now, ended);
    Time last = now;
    if (std::exchange(job.thinks, false)) {
      while (!job.under_way.empty()) last = reap(job, now, last, ended);
      return last + params.pause;
    }
    if (params.pacing == Pacing::closed || job.next <= now) {
      submit(job, number, now);
      job.next += pause(job);
      return now + load_.submit_time;
    }
    const Duration ahead = job.next - now;
    while (!job.under_way.empty() && (load_.quiesce || job.under_way.front().at <= job.next))
      last = reap(job, now, last, ended);
    return load_.quiesce ? last + ahead : job.next;
  }

  void submit(Job& job, std::uint32_t number, Time now) {
    const std::uint64_t sector = device_.drive().params().sector_size.count;
    const double reads = job.params->reads;
    const bool write = reads < 1 && (reads <= 0 || random_.uniform() >= reads);
    const std::uint64_t bytes = size(job), lbn = (job.params->offset.count + place(job, write, bytes)) / sector;
    job.submitted += bytes;
    job.thinks = job.params->pause > Duration::zero();
    job.under_way.push_back(
        {commands_.submit(now, number, write, lbn, static_cast<std::uint32_t>(bytes / sector)), job.entry, bytes});
    std::ranges::push_heap(job.under_way, later);
  }

  /// Of its next command.
  std::uint64_t size(const Job& job) {
    const auto& sizes = job.params->sizes;
    double left = sum(sizes, &SizeShare::share) * (sizes.size() > 1 ? random_.uniform() : 0);
    auto found = sizes.begin();
    while (left >= found->share && found + 1 != sizes.end()) left -= (found++)->share;
    return found->size.count;
  }

  /// Where in its part of the drive the command begins.
  std::uint64_t place(Job& job, bool write, std::uint64_t bytes) {
    const JobParams& params = *job.params;
    const std::uint64_t places = (job.span - bytes) / job.unit + 1;
    switch (params.places) {
      case Places::sequential: {
        std::uint64_t& end = job.ends[write];
        if (end + bytes > job.span) end = 0;
        return std::exchange(end, end + bytes);
      }
      case Places::uniform: return random_.below(places) * job.unit;
      case Places::zipf: return mix64(zipf(random_, places, params.skew)) % places * job.unit;
      case Places::pareto: break;
    }
    const double share = std::pow(random_.uniform(), std::log(params.skew) / std::log(1 - params.skew));
    return mix64(static_cast<std::uint64_t>(share * static_cast<double>(places))) % places * job.unit;
  }

  /// Sees the end of the next command to end, looking from `from` on. Returns when.
  Time reap(Job& job, Time now, Time from, const Notice& ended) {
    std::ranges::pop_heap(job.under_way, later);
    Ended command = take_last(job.under_way);
    commands_.seen(command);
    const Time seen = std::max(from, command.at);
    if (load_.quiesce) command.at = seen;
    ended(command);
    return std::max(now, seen);
  }

  /// Until its next command is due.
  Duration pause(const Job& job) {
    if (job.params->pacing != Pacing::poisson) return job.interval;
    return picoseconds(-std::log1p(-random_.uniform()) * static_cast<double>(job.interval.count()));
  }

  nvme::Device& device_;
  const QueuesParams& load_;
  NvmeCommands commands_;
  RandomStream random_;
  std::vector<Job> jobs_;
};

}  // namespace sunstar::disk_platform
