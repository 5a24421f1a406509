// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/disk/nvme_commands.h"

namespace sunstar::disk_platform {

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

  /// All must outlive it.
  QueuePlayer(nvme::Device& device, const QueuesParams& load, Duration limit, std::uint64_t seed);

  /// Submits commands until `end`, and sees the end of all of them. Calls ended() in the order in which jobs see it.
  void play(Time end, const Notice& ended);
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

  Time step(Job& job, std::uint32_t number, Time now, const Notice& ended);
  void submit(Job& job, std::uint32_t number, Time now);
  std::uint64_t size(const Job& job);
  std::uint64_t place(Job& job, bool write, std::uint64_t bytes);
  Time reap(Job& job, Time now, Time from, const Notice& ended);
  Duration pause(const Job& job);

  nvme::Device& device_;
  const QueuesParams& load_;
  NvmeCommands commands_;
  RandomStream random_;
  std::vector<Job> jobs_;
};

}  // namespace sunstar::disk_platform
