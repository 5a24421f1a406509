// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <vector>

#include "sw/file_systems/enwrich/messages.h"
#include "sw/file_systems/enwrich/write_cache.h"
#include "sw/file_systems/system.h"
#include "sw/io/cached/server.h"

namespace sunstar::file_systems::enwrich {

/// An I/O processor: collects the directories of a flush, works out which cache holds the latest version of each byte,
/// and fetches and writes the blocks on its disks. Reads find blocks in a cache.
class Server final : private messages::Peers::Waiter {
 public:
  Server(System& system, Common& common, const Params& params, std::uint32_t io_processor);
  void add_statistics(StatisticSet& set) { reads_.add_statistics(set); }

 private:
  class Mover;
  struct Directory {
    std::byte* memory = nullptr;
    std::uint64_t expected = 0, arrived = 0;
    bool announced = false, watched = false;
    bool given_up = false;  // in the flush under way: should the processor be there after all, its entries are lost
    bool complete() const { return announced && arrived == expected; }
  };

  void take_directory(hal::Message& m);
  void directory_complete(std::uint32_t processor);
  /// Watches the compute processors whose directories are still to come; a flush has begun.
  void watch_for_directories();
  void lost(hal::NodeId node) override;
  void tell(const requests::Failed& failed, FlushDone& done);
  os::Task<> serve_flushes();
  /// Waits until all directories have come; sorts them as they come if the parameters say so.
  os::Task<> collect();
  std::vector<DirectoryEntry> entries();
  os::Task<> serve_sync(hal::Message& request);

  System& system_;
  const Messages& messages_;
  const WriteCacheParams params_;
  Counters& counters_;
  std::uint32_t io_processor_;
  messages::Endpoint& endpoint_;
  os::Os& os_;
  io::cached::Server reads_;
  io::BlockTransfers transfers_;
  std::vector<requests::Failed> told_late_;            // of a flush that ended after it had been answered
  std::optional<io::BlockTransfers::Transfer> flush_;  // the one under way, or the last one
  std::vector<Directory> directories_;                 // by compute processor
  std::vector<std::uint32_t> complete_;                // in order
  os::WaitQueue arrived_;
  std::uint64_t epoch_ = 0;           // of the flush whose directories come
  bool last_flush_ = false;           // the current flush is the run's last
  std::vector<std::byte*> gathered_;  // buffers for lists of pieces and for gathered pieces, not in use
};

}  // namespace sunstar::file_systems::enwrich
