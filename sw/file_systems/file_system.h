// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/core/statistics.h"
#include "sw/file_systems/file_system_params.h"
#include "sw/io/layout.h"
#include "sw/os/os.h"
#include "sw/messages/services.h"
#include "sw/workload/workload.h"

namespace sunstar::file_systems {

/// Which I/O processor a disk of the stripe hangs on, and as which of its block devices.
struct io::DiskPlace {
  std::uint32_t io_processor = 0;
  std::uint32_t device = 0;
};

/// A file as it lies on the disks.
struct io::StoredFile {
  std::uint64_t bytes = 0;
  std::vector<io::BlockAddresses> on_disk;  ///< for every disk: first sector of each of the file's blocks there
};

/// What a run has done, written by the file system as it goes; anything that does not add up is a failed run.
struct RunRecord {
  std::vector<Duration> latencies;  ///< of each call (or collective) from its start at the processor to its end
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;  ///< moved by these calls
  Time first_request = Time::max();
  Time last_disk_completion{};   ///< seen by an I/O processor
  std::optional<Time> finished;  ///< all calls have ended and nothing is outstanding
  std::uint64_t disk_reads = 0, disk_writes = 0;

  /// Called when a part of a call, or a block of a collective or of a flush, has been moved: for whoever shows how far
  /// the run is.
  std::function<void(std::uint64_t)> when_moved;
  void moved(std::uint64_t some) {
    if (when_moved) when_moved(some);
  }

  std::function<void()> when_finished;  ///< called at that moment, for whoever looks at the machine then
  void finish(Time now) {
    finished = now;
    if (when_finished) when_finished();
  }
};

/// The machine as its file system sees it, and what it is to do.
struct System {
  FileSystemParams params;
  std::vector<os::Os*> compute;  ///< executives of the compute processors, in order
  std::vector<os::Os*> io;       ///< and of the I/O processors; a node that is both is in both
  std::vector<io::DiskPlace> disks;
  std::uint32_t sector_bytes = 512;
  std::vector<io::StoredFile> files;
  std::vector<os::RemoteMemory> memory;  ///< buffers of the compute processors
  const workload::Workload* workload = nullptr;
  Duration start_skew{};  ///< compute processor p starts p times this later
  RunRecord record;

  io::Striping striping() const {
    return {static_cast<std::uint32_t>(disks.size()), static_cast<std::uint32_t>(params.block_size.count)};
  }
  std::uint32_t sectors_per_block() const { return static_cast<std::uint32_t>(params.block_size.count) / sector_bytes; }
  std::uint64_t sector_of(std::uint32_t file, std::uint64_t block) const {
    const io::Striping s = striping();
    return files[file].on_disk[s.disk_of(block)][s.index_on_disk(block)];
  }
  /// Bytes of the file in one of its blocks: the last may be short.
  std::uint32_t bytes_in_block(std::uint32_t file, std::uint64_t block) const {
    const std::uint64_t b = params.block_size.count;
    return static_cast<std::uint32_t>(std::min(b, files[file].bytes - block * b));
  }
  std::uint64_t blocks(std::uint32_t file) const {
    return (files[file].bytes + params.block_size.count - 1) / params.block_size.count;
  }
};

class io::DiskDriver;

/// What a run did not do because a processor failed.
struct Losses {
  struct Range {
    std::uint32_t file;
    std::uint64_t offset, bytes;
  };
  std::uint64_t calls = 0, bytes = 0;  ///< never made
  std::uint64_t cached_bytes = 0;      ///< made, and lost with the cache that held them
  std::vector<Range> ranges;           ///< of both; the file may hold the old bytes there
};

/// The main thread of compute processor `p` of a file system whose calls are `transfer(p, access)`: makes the
/// workload's calls, thinking and waiting as they say, and ends when all processors have made theirs.
template <class Transfer>
os::Task<> make_calls(System& system, os::Barrier& barrier, std::uint32_t p, Transfer transfer) {
  os::Os& os = *system.compute[p];
  const auto source = system.workload->accesses(p);
  workload::Access access;
  co_await os.sleep_until(Time{system.start_skew * p});
  while (source->next(access)) {
    const Time wanted = std::max(os.now() + access.think, Time{access.not_before});
    if (wanted > os.now()) co_await os.sleep_until(wanted);
    if (access.in_step) co_await barrier.wait(p);
    if (access.bytes > 0) co_await transfer(p, access);
  }
  co_await barrier.wait(p);
}

/// A parallel file system: its code for every kind of node. `start` registers handlers and makes the threads of all
/// nodes; the last of them calls `record.finish`.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual void start() = 0;
  /// Whether it carries out the workload's collectives rather than its calls.
  virtual bool collective() const = 0;
  /// The driver of a disk, for those who watch; null if there is none, or not yet.
  virtual const io::DiskDriver* driver(const io::DiskPlace&) const { return nullptr; }
  /// What a failure has cost; null if nothing fails in this run.
  virtual const Losses* losses() const { return nullptr; }
  /// What it counts by itself. It must outlive the set.
  virtual void add_statistics(StatisticSet&) {}

  static std::unique_ptr<FileSystem> create(System& system);

  /// Bytes of memory that the file system named in `params` takes on a node at most, beside the applications' buffers.
  static std::uint64_t memory(const FileSystemParams& params, std::uint64_t compute_processors, std::uint64_t disks);
};

}  // namespace sunstar::file_systems
