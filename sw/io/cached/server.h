// SPDX-License-Identifier: MIT
#pragma once
#include <boost/container/small_vector.hpp>

#include "sw/io/block_transfers.h"
#include "sw/io/cached/cache.h"
#include "sw/io/cached/messages.h"

namespace sunstar::io::cached {

/// An I/O processor: a cache over its disks, and a thread for each request.
class Server {
 public:
  Server(Nodes& nodes, const Volume& volume, const Messages& messages, const CacheParams& params,
         requests::Recorder& record, std::uint32_t io_processor);
  /// The same of a file system, whose parameters have the member `cache`.
  template <class System, class Params>
  Server(System& system, const Messages& messages, const Params& params, std::uint32_t io_processor)
      : Server(system.nodes, system.volume, messages, params.cache, system.record, io_processor) {}

  /// Takes the blocks of a transfer out of the cache, one by one as their turn comes: a block is either in the cache or
  /// in a transfer's buffer, never in both.
  BlockGuard& guard() { return guard_; }

  /// "<node>.cache.hits" and so on.
  void add_statistics(StatisticSet&);

 private:
  /// A request for a part of a block, or for several chunks of it.
  struct Asked {
    std::uint32_t file = 0;
    std::uint64_t block = 0;
    boost::container::small_vector<messages::PieceRun, 1> runs;  ///< offsets into the block
    std::uint32_t chunks = 0, bytes = 0;                         ///< all together
    messages::ReplyTo reply;
  };
  Asked decode(const hal::Message& request, bool chunks, bool write);
  /// `chunks`: the request is a ChunksRequest.
  os::Task<> read(hal::Message& request, bool chunks);
  os::Task<> write(hal::Message& request, bool chunks);
  os::Task<> sync(hal::Message& request);
  void prefetch(std::uint32_t file, std::uint64_t block);

  const Volume& volume_;
  requests::Recorder& record_;
  messages::Endpoint& endpoint_;
  os::Os& os_;
  const bool prefetch_;
  std::vector<std::byte*> gathering_;  // free buffers for chunks on their way into a reply
  Cache cache_;
  struct Guard final : BlockGuard {
    explicit Guard(Cache& c) : cache(c) {}
    os::Task<> acquire(const BlockJob& job, bool write, bool whole) override {
      return cache.lock(job.file, job.block, write && whole);
    }
    void release(const BlockJob& job) override { cache.unlock(job.file, job.block); }
    Cache& cache;
  } guard_{cache_};
};

}  // namespace sunstar::io::cached
