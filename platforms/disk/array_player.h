// SPDX-License-Identifier: MIT
#pragma once
#include <list>

#include "models/core/quantity.h"
#include "platforms/disk/host.h"
#include "sw/io/store/redundant/server.h"

namespace sunstar::disk_platform {

/// A request to the array.
struct ArrayRequest {
  Time arrives{};
  bool write = false;
  std::uint64_t lbn = 0;
  std::uint32_t sectors = 0;
};

/// Plays requests on an array of drives, which the firmware's server of redundant stores serves on a node where only
/// the drives take time: sw/io/store/redundant/server.h describes it, also when drives fail.
class ArrayPlayer {
 public:
  /// What a request became.
  struct Outcome {
    const ArrayRequest& request;
    Time ended{};
    /// Commands to disks for the request, and the treatment of its rows. Writes of one row that the server carried out
    /// together count as the first one's.
    std::uint32_t reads = 0, writes = 0;
    io::redundant::RowCounts rows;
    bool lost = false;  ///< more disks have failed than the array can do without
  };
  using Ended = std::function<void(const Outcome&)>;

  ArrayPlayer(const MachineParams& machine, std::uint64_t seed);
  ArrayPlayer(const ArrayPlayer&) = delete;
  ~ArrayPlayer();

  /// Sectors of the array.
  std::uint64_t sectors() const { return array_.geometry().sectors(array_.disk_sectors()); }
  /// Plays the requests, which must come in the order of their arrival, until all have ended.
  void play(const std::vector<ArrayRequest>& requests, const Ended& ended);

  std::deque<FaultyDrive>& drives() { return host_.drives; }
  std::uint64_t most_outstanding() const { return most_outstanding_; }
  /// The effects of drives' faults, and the work of drivers and server because of them.
  FaultFigures faults(Time now);

 private:
  class Joining;
  struct Piece;
  struct Request;

  void arrive(const ArrayRequest& request, const Ended& ended);

  Host host_;
  io::redundant::Array array_;
  io::redundant::Counts counts_;
  io::redundant::Server server_;
  std::vector<std::uint32_t> unit_on_;  // of the array, by disk
  std::byte* data_ = nullptr;           // of the longest request
  std::list<Request> requests_;         // unfinished ones
  std::uint64_t most_outstanding_ = 0;
};

}  // namespace sunstar::disk_platform
