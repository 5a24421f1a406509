// SPDX-License-Identifier: MIT
#include "sw/file_systems/client_server.h"
#include "sw/file_systems/hybrid/client.h"
#include "sw/file_systems/hybrid/server.h"

namespace sunstar::file_systems::hybrid {
namespace {

struct Parts {
  using Params = hybrid::Params;
  using Messages = hybrid::Messages;
  using Client = hybrid::Client;
  using Server = hybrid::Server;
};

/// Caches and disk-directed I/O side by side, coherent with each other. docs/file-systems/hybrid.md says how.
class Hybrid final : public ClientServer<Parts> {
 public:
  using ClientServer::ClientServer;
  void add_statistics(StatisticSet& set) override {
    for (auto& server : servers()) server->add_statistics(set);
  }
};

}  // namespace

std::unique_ptr<FileSystem> make(const Params& params, System& system) {
  require_whole_records(system);
  return std::make_unique<Hybrid>(system, params);
}

std::uint64_t memory(const Params& params, const Sizes& sizes) {
  return disk_directed::memory(params, sizes) +
         io::cached::memory(params.cache, sizes.compute_processors, sizes.disks_of_node, sizes.block_bytes) +
         2 * sizes.block_bytes;  // of a compute processor: a strided request
}

}  // namespace sunstar::file_systems::hybrid
