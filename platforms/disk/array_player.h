// SPDX-License-Identifier: MIT
#pragma once
#include <list>

#include "platforms/disk/host.h"
#include "platforms/disk/load.h"
#include "sw/io/store/redundant/server.h"

namespace sunstar::disk_platform {

struct Outcome {
  const Request& request;
  Time ended{};
  /// Commands to disks for the request, and the treatment of its rows. Writes of one row that the server of an array
  /// carried out together count as the first one's.
  std::uint32_t reads = 0, writes = 0;
  io::redundant::RowCounts rows = {};
  bool lost = false;  ///< it failed; in an array: more disks have failed than the array can do without
};
using RequestEnded = std::function<void(const Outcome&)>;

/// Plays requests on an array of drives, which the firmware's server of redundant stores serves on a node where only
/// the drives take time: sw/io/store/redundant/server.h describes it, also when drives fail.
class ArrayPlayer {
 public:
  ArrayPlayer(const MachineParams& machine, std::uint64_t seed);
  ArrayPlayer(const ArrayPlayer&) = delete;
  ~ArrayPlayer();

  std::uint64_t sectors() const { return array_.geometry().sectors(array_.disk_sectors()); }
  /// Plays the requests until all have ended.
  void play(Pacer& pacer, const RequestEnded& ended);

  std::deque<FaultyDrive>& drives() { return host_.drives; }
  /// The effects of drives' faults, and the work of drivers and server because of them.
  FaultFigures faults(Time now);

 private:
  class Joining;
  struct Piece;
  struct Asked;

  void submit(Asked& asked);

  Host host_;
  io::redundant::Array array_;
  io::redundant::Counts counts_;
  io::redundant::Server server_;
  std::vector<std::uint32_t> unit_on_;  // of the array, by disk
  std::list<Asked> requests_;           // unfinished ones
};

}  // namespace sunstar::disk_platform
