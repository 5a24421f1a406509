// SPDX-License-Identifier: MIT
#pragma once
#include "sw/file_systems/cache_server.h"
#include "sw/file_systems/disk_directed/server.h"
#include "sw/file_systems/hybrid/params.h"

namespace sunstar::file_systems::hybrid {

/// The messages of both ways.
struct Messages {
  explicit Messages(messages::Numbers& numbers) : cached(numbers), direct(numbers) {}
  const io::cached::Messages cached;
  const disk_directed::Messages direct;
};

/// An I/O processor: a cache for calls and buffers for collectives. A block is either in the cache or in a collective's
/// buffer, never in both.
class Server {
 public:
  Server(System& system, const Messages& messages, const Params& params, std::uint32_t io_processor)
      : cached_(system, messages.cached, params, io_processor),
        guard_(cached_.cache()),
        direct_(system, messages.direct, params, io_processor, &guard_) {}
  void add_statistics(StatisticSet& set) { cached_.add_statistics(set); }

 private:
  /// Takes a collective's blocks out of the cache, one by one as their turn comes.
  class Guard final : public io::BlockGuard {
   public:
    explicit Guard(io::cached::Cache& cache) : cache_(cache) {}
    os::Task<> acquire(const io::BlockJob& job, bool write, bool whole) override {
      return cache_.lock(job.file, job.block, write && whole);
    }
    void release(const io::BlockJob& job) override { cache_.unlock(job.file, job.block); }

   private:
    io::cached::Cache& cache_;
  };

  CacheServer<Params> cached_;
  Guard guard_;
  disk_directed::Server direct_;
};

}  // namespace sunstar::file_systems::hybrid
