// SPDX-License-Identifier: MIT
#include "sw/file_systems/client_server.h"
#include "sw/file_systems/traditional_caching/client.h"
#include "sw/file_systems/traditional_caching/server.h"

namespace sunstar::file_systems::traditional_caching {
namespace {

struct Parts {
  using Params = traditional_caching::Params;
  using Messages = traditional_caching::Messages;
  using Client = traditional_caching::Client;
  using Server = traditional_caching::Server;
  static constexpr workload::Unit unit = workload::Unit::call;
};

/// A traditional parallel file system (TR94-226, section 4): compute processors request contiguous chunks, block by
/// block; I/O processors cache blocks. docs/file-systems/traditional-caching.md follows one call.
class TraditionalCaching final : public ClientServer<Parts> {
 public:
  using ClientServer::ClientServer;
  void add_statistics(StatisticSet& set) override {
    for (auto& server : servers()) server->add_statistics(set);
  }
};

}  // namespace

std::unique_ptr<FileSystem> make(const Params& params, System& system) {
  return std::make_unique<TraditionalCaching>(system, params);
}

std::uint64_t memory(const Params& params, const Sizes& sizes) {
  // Each buffer may have a second block of memory, into which a read from disk goes.
  return 2ull * params.cache.buffers_per_cp_per_disk * sizes.compute_processors * sizes.disks * sizes.block_bytes;
}

}  // namespace sunstar::file_systems::traditional_caching
