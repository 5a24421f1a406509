// SPDX-License-Identifier: MIT
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

/// ENWRICH (Purakayastha, Ellis and Kotz, "ENWRICH: a compute-processor write caching scheme for parallel file
/// systems", Duke CS-1995-22): every compute processor appends its writes to its own cache; when one cache is full, all
/// are flushed together, disk-directed. docs/file-systems/enwrich.md follows a write and a flush step by step.
using Enwrich = ClientServer<Params, Common, Server, Client>;

std::unique_ptr<FileSystem> make(const Params& params, Run& run) { return std::make_unique<Enwrich>(run, params); }

std::uint64_t memory(const Params& params, const Sizes& sizes) {
  // A compute processor has its write cache and two blocks for what it sends. An I/O processor has all directories,
  // none larger than its cache, and the block buffers.
  const std::uint64_t directories = sizes.disks_of_node > 0 ? sizes.compute_processors : 0;
  return (directories + 1) * params.enwrich.cache_size.count + 2 * sizes.block_bytes +
         params.buffers_per_disk * sizes.disks_of_node * sizes.block_bytes;
}

}  // namespace sunstar::file_systems::enwrich
