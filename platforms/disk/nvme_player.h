// SPDX-License-Identifier: MIT
#pragma once
#include <map>

#include "platforms/disk/array_player.h"
#include "platforms/disk/nvme_commands.h"

namespace sunstar::disk_platform {

/// Plays requests on an NVMe drive: each stream has a submission queue, in turn if the drive has fewer. A request waits
/// in the host while the queues are full. Nothing retries.
class NvmePlayer {
 public:
  /// Both must outlive it. `limit`: how long the host waits for a command.
  NvmePlayer(nvme::Device& device, Duration limit) : device_(device), commands_(device, limit) {}

  /// Plays the requests until all have ended.
  void play(Pacer& pacer, const RequestEnded& ended) {
    const nvme::DriveParams& drive = device_.drive().params();
    const std::size_t most = std::size_t{drive.queues} * (drive.queue_depth - 1);
    Time now{};
    while (pacer.more() || !under_way_.empty()) {
      const bool full = under_way_.size() == most;
      if (under_way_.empty() || (!full && pacer.due() < under_way_.begin()->first)) {
        now = std::max(now, pacer.due());
        const Request& r = pacer.next();
        submit({{r}, r.write ? r.partial.size() : 0}, now);
        continue;
      }
      Asked asked = under_way_.extract(under_way_.begin()).mapped();
      now = std::max(now, asked.command.at);
      commands_.seen(asked.command);
      asked.outcome.lost |= asked.command.status != hal::Status::ok;
      if (asked.reads > 0 && !asked.outcome.lost) {
        --asked.reads;
        submit(asked, now);
        continue;
      }
      asked.outcome.ended = asked.command.at;
      pacer.ended(asked.outcome.request, now);
      ended(asked.outcome);
    }
  }

  /// The commands given to the drive.
  const Told& told() const { return commands_.told(); }

 private:
  /// A request under way and its present command. Of a write, the sectors that it changes in part are read before, one
  /// after the other.
  struct Asked {
    Outcome outcome;
    std::size_t reads = 0;  // still to come
    NvmeCommands::Ended command = {};
  };

  /// Submits the request, or the read of the next sector that must come before it.
  void submit(Asked asked, Time now) {
    const Request& r = asked.outcome.request;
    const bool before = asked.reads > 0, write = r.write && !before;
    asked.command = commands_.submit(now, r.stream, write, before ? r.partial[r.partial.size() - asked.reads] : r.lbn,
                                     before ? 1 : r.sectors);
    ++(write ? asked.outcome.writes : asked.outcome.reads);
    under_way_.emplace(asked.command.at, asked);
  }

  nvme::Device& device_;
  NvmeCommands commands_;
  std::multimap<Time, Asked> under_way_;  // by the ends of their commands
};

}  // namespace sunstar::disk_platform
