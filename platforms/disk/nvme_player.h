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
  void play(Pacer& pacer, const RequestEnded& ended);
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
  void submit(Asked asked, Time now);

  nvme::Device& device_;
  NvmeCommands commands_;
  std::multimap<Time, Asked> under_way_;  // by the ends of their commands
};

}  // namespace sunstar::disk_platform
