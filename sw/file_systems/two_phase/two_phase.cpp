// SPDX-License-Identifier: MIT
#include <string>

#include "models/core/error.h"
#include "sw/file_systems/cache_server.h"
#include "sw/file_systems/two_phase/client.h"

namespace sunstar::file_systems::two_phase {

/// Two-phase I/O over the servers of traditional caching. docs/file-systems/two-phase.md follows a collective.
using TwoPhase = ClientServer<Params, Messages, CacheServer<Params>, Client>;

std::unique_ptr<FileSystem> make(const Params& params, Run& run) {
  if (params.buffer_size.count < run.volume.block_bytes())
    throw ConfigError("file_system.buffer_size is " + std::to_string(params.buffer_size.count) +
                      " bytes; it must be at least file_system.block_size, " +
                      std::to_string(run.volume.block_bytes()) + " bytes.");
  if (params.aggregators > run.nodes.compute.size())
    throw ConfigError("file_system.aggregators is " + std::to_string(params.aggregators) + "; the workload runs on " +
                      std::to_string(run.nodes.compute.size()) + " compute processors, and may have at most as many.");
  return std::make_unique<TwoPhase>(run, params);
}

std::uint64_t memory(const Params& params, const Sizes& sizes) {
  // A node that computes and does I/O has both: the cache; and the share, what is packed here, what others ask for.
  return io::cached::memory(params.cache, sizes.compute_processors, sizes.disks_of_node, sizes.block_bytes) +
         4 * params.buffer_size.count;
}

}  // namespace sunstar::file_systems::two_phase
