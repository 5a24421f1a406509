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
/// it. It intercepts what libpvfs calls on its sockets: a request takes what is there from the cache and asks the iod
/// for the rest only; a write ends when the cache has it. Two kernel threads work in the background: the flusher sends
/// changed blocks to the iods, and the harvester keeps some blocks free.
class CacheModule {
 public:
  /// Batches of changed blocks that may be on their way to iods at a time.
  static constexpr std::uint32_t most_flushes = 8;

  CacheModule(System& system, const Messages& messages, Port& port, const Params& params, Versions& versions);

  class Socket;
  /// Those of a process to the iods that have parts of a run, which it reads into its memory or writes from it. A read
  /// appends the bytes that could not be read to `failed`.
  std::list<Socket> sockets(const FileRun& run, std::byte* memory, std::vector<requests::Failed>* failed);
  /// Whether every write is coherent.
  bool coherent() const { return params_.coherent; }
  /// Completes a coherent write (sync_write): returns when the iods have the run and no other cache holds an old copy;
  /// an error if an iod could not write it.
  os::Task<hal::Status> write_on(const FileRun& run, std::byte* memory);
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

  void goes_on(const FileRun& run);
  os::Task<> read_ahead(FileRun run);
  Block* take(const BlockKey& key);
  os::Task<> room();
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

/// A process's socket to an iod while a call lasts. The module keeps a state for it, which changes with what libpvfs
/// calls and what the iod sends (section 3.2).
class CacheModule::Socket {
 public:
  Socket(CacheModule& module, std::uint32_t io_processor, const FileRun& run, std::byte* memory,
         std::vector<requests::Failed>* failed);
  ~Socket();

  /// libpvfs sends a request for its part of the run: finds out which blocks are missing, and asks the iod for them. If
  /// too few blocks are free, the rest waits for the next call; `may_wait` says that the process holds no block, so
  /// that no two requests wait for each other.
  os::Task<> ask(bool may_wait);
  /// libpvfs receives the data that it has asked for, and copies them to the process.
  os::Task<> receive();
  /// libpvfs sends a request to write.
  void announce();
  /// libpvfs sends the data, which go into the cache.
  os::Task<> send(bool coherent);
  /// libpvfs receives an acknowledgement: the module makes it up.
  os::Task<> acknowledgement();
  bool complete() const { return left_.empty(); }

 private:
  friend class CacheModule;
  enum class State : std::uint8_t { idle, requested, acknowledged };
  /// libpvfs has made a call, whose cost is as without the module; a request costs the overhead, too.
  void called(State next, os::Cost cost);
  void hold(Block& block);
  os::Task<> fetch(std::vector<Held> held);
  os::Task<> fetched();
  /// The next block of which libpvfs has yet to read or to write bytes, and these.
  BlockKey block() const { return {run_.file, left_.front().offset / cache_block}; }
  ByteRange range() const;
  void pass();
  std::byte* memory_of(const BlockKey& key, ByteRange range) const {
    return memory_ + (key.number * cache_block + range.from - run_.offset);
  }

  CacheModule& module_;
  const std::uint32_t io_processor_;
  const FileRun run_;
  std::byte* const memory_;
  std::vector<requests::Failed>* const failed_;
  State state_ = State::idle;
  std::deque<FileRun> left_;  // of the data node's part
  std::vector<Held> held_;
  std::list<Arriving> fetches_;
  messages::ReplyAction acknowledgements_;
};

}  // namespace sunstar::file_systems::pvfs
