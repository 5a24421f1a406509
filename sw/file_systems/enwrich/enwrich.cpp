// SPDX-License-Identifier: MIT
#include <string>

#include "models/core/error.h"
#include "sw/file_systems/enwrich/client.h"
#include "sw/file_systems/enwrich/server.h"

namespace sunstar::file_systems::enwrich {

Common::Common(Run& run, const Params&)
    : Messages(run.protocol.numbers), flush_barrier(run.nodes.compute, run.protocol.numbers) {
  constexpr std::size_t most = 1 << 16;  // an entry has 16 bits for each
  if (run.volume.file_count() > most || run.nodes.compute.size() > most)
    throw ConfigError("file_system.kind \"enwrich\" numbers files and compute processors with 16 bits; this run has " +
                      std::to_string(run.volume.file_count()) + " files and " +
                      std::to_string(run.nodes.compute.size()) + " processors.");
}

void Common::add_statistics(StatisticSet& set) {
  static constexpr struct {
    const char *name, *why;
  } reason[reasons] = {{"data", "a full data section"},
                       {"directory", "a full directory"},
                       {"threshold", "a cache filled to the threshold"},
                       {"timeout", "the timeout"},
                       {"read", "a file opened for reading"},
                       {"sync", "a call that waits until all is on disk"},
                       {"end", "the end of the run"}};
  const std::string name = "enwrich.";
  set.counter(name + "flushes", "flushes of all caches", "1", counters.flushes);
  for (std::size_t r = 0; r < reasons; ++r)
    set.counter(name + reason[r].name + "_flushes",
                std::string("times a processor asked for a flush because of ") + reason[r].why, "1", counters.begun[r]);
  set.counter(name + "flush_time", "time from the beginning to the end of each flush, at compute processor 0", "s",
              counters.flush_time);
  set.counter(name + "flushed_bytes", "bytes fetched from the caches and written", "B", counters.flushed_bytes);
  set.counter(name + "flushed_entries", "directory entries, counted at each I/O processor that received them", "1",
              counters.flushed_entries);
  set.counter(name + "flushed_blocks", "blocks written", "1", counters.flushed_blocks);
  set.counter(name + "fetched_blocks", "blocks read first because the caches did not hold all of their bytes", "1",
              counters.fetched_blocks);
}

/// ENWRICH (Purakayastha, Ellis and Kotz, "ENWRICH: a compute-processor write caching scheme for parallel file
/// systems", Duke CS-1995-22): every compute processor appends its writes to its own cache; when one cache is full, all
/// are flushed together, disk-directed. docs/file-systems/enwrich.md follows a write and a flush step by step.
class Enwrich final : public ClientServer<Params, Common, Server, Client> {
 public:
  using ClientServer::ClientServer;

  bool coherent() const override { return params().enwrich.flush_on_read; }
};

std::unique_ptr<FileSystem> make(const Params& params, Run& run) { return std::make_unique<Enwrich>(run, params); }

std::uint64_t memory(const Params& params, const Sizes& sizes) {
  // A compute processor has its write cache and two blocks for what it sends. An I/O processor has all directories,
  // none larger than its cache, and the block buffers.
  const std::uint64_t directories = sizes.disks_of_node > 0 ? sizes.compute_processors : 0;
  return (directories + 1) * params.enwrich.cache_size.count + 2 * sizes.block_bytes +
         params.buffers_per_disk * sizes.disks_of_node * sizes.block_bytes;
}

}  // namespace sunstar::file_systems::enwrich
