// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <list>

#include "models/core/statistics.h"
#include "sw/file_systems/losses.h"
#include "sw/file_systems/pvfs/module/block_cache.h"
#include "sw/file_systems/pvfs/protocol/messages.h"
#include "sw/file_systems/pvfs/protocol/params.h"
#include "sw/file_systems/pvfs/protocol/port.h"
#include "sw/file_systems/system.h"

namespace sunstar::file_systems::pvfs {

/// What the cache module of a node has done. The sums over all nodes are figures of the result.
struct CacheCounts {
  std::uint64_t hits = 0;         ///< blocks that a read found whole
  std::uint64_t joined = 0;       ///< blocks that a read found on their way for another one
  std::uint64_t misses = 0;       ///< blocks that a read had to ask an iod for
  std::uint64_t written = 0;      ///< blocks that writes put into the cache
  std::uint64_t waits = 0;        ///< times that a call waited for a free block
  std::uint64_t stale_reads = 0;  ///< blocks that a read found older than a write that had ended elsewhere before it
  std::uint64_t stale_bytes = 0;
  std::uint64_t invalidated = 0;  ///< copies dropped because another node had written the block
};
BOOST_DESCRIBE_STRUCT(CacheCounts, (), (hits, joined, misses, written, waits, stale_reads, stale_bytes, invalidated))

/// The cache module of a node's kernel, between libpvfs and the sockets (section 3.2): all processes of the node share
/// it. A request takes what is there from the cache and asks the iods for the rest only; a write ends when the cache
/// has it. Two kernel threads work in the background: the flusher sends changed blocks to the iods, and the harvester
/// keeps some blocks free.
class CacheModule {
 public:
  /// Batches of changed blocks that may be on their way to iods at a time.
  static constexpr std::uint32_t most_flushes = 8;

  CacheModule(System& system, const Messages& messages, Port& port, const Params& params, Versions& versions);

  /// Reads a run of a file into a process's memory. Appends the bytes that could not be read to `failed`.
  os::Task<> read(const FileRun& run, std::byte* memory, std::vector<requests::Failed>& failed);
  /// Writes a run. A coherent write (sync_write) returns when the iods have it and no other cache holds an old copy.
  /// Returns an error if an iod could not write it.
  os::Task<hal::Status> write(const FileRun& run, std::byte* memory, bool coherent);
  /// Returns when the iods have all written bytes; an error if they have lost some, and no earlier flush has returned
  /// it. The iods have noted which.
  os::Task<hal::Status> flush();

  /// Its node has stopped: counts the bytes that the iods do not have yet.
  void count_cache(Losses& losses) const;

  const CacheCounts& counts() const { return counts_; }
  void add_statistics(StatisticSet& set);

 private:
  /// A block that a request uses, and the bytes of it.
  struct Held {
    Block* block;
    ByteRange range;
    Versions::Version newest;  ///< when the request looked it up
    std::uint64_t failures;    ///< that the block had seen by then
  };
  class Arriving;
  using Fetches = std::list<Arriving>;

  os::Task<std::uint64_t> read_some(FileRun run, std::byte* memory, std::vector<requests::Failed>& failed);
  os::Task<> ask(std::vector<Held> held, Fetches& fetches, messages::ReplyAction& acknowledgements);
  os::Task<> read_ahead(FileRun run);
  Block* take(const BlockKey& key);
  os::Task<> room();
  void charge_access();
  void unpin(Block& block);
  void begin_flush();
  std::byte* buffer();
  os::Task<> flush_now_and_then();
  os::Task<> flusher();
  /// A block that is being flushed, and its changed bytes.
  struct Flushing {  // NOLINT(bugprone-exception-escape): see ByteRanges
    Block* block;
    ByteRanges bytes;
  };
  os::Task<> flush_batch(std::vector<Flushing> blocks);
  os::Task<> harvester();
  void invalidate(hal::Message& m);
  os::Task<> provide(hal::NodeId iod, Fetch asked);
  /// The bytes of a block that belong to its file.
  ByteRange in_file(const BlockKey& key) const;

  System& system_;
  const Messages& messages_;
  Port& port_;
  os::Os& os_;
  const ModuleParams params_;
  Versions& versions_;
  CacheCounts counts_;
  BlockCache cache_;
  const std::uint32_t low_, high_;
  hal::Status flush_error_ = hal::Status::ok;                          // not yet returned by a flush()
  boost::unordered_flat_map<std::uint32_t, std::uint64_t> next_read_;  // by file: where a read that goes on begins
  os::WaitQueue changed_;                                              // blocks have arrived, or have been invalidated
  os::WaitQueue room_;                                                 // blocks have become free
  os::WaitQueue released_;                                             // blocks can be freed that could not before
  os::WaitQueue flush_work_, flushed_, harvest_work_;
  bool flush_wanted_ = false;
  std::uint32_t flushing_ = 0;       // batches under way
  std::vector<std::byte*> buffers_;  // free ones, of a stripe and an answer's head each
  std::uint64_t flushed_blocks_ = 0, harvested_ = 0, harvest_steps_ = 0, read_ahead_ = 0, provided_ = 0;
};

}  // namespace sunstar::file_systems::pvfs
