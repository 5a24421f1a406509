// SPDX-License-Identifier: MIT
#include <memory>
#include <vector>

#include "sw/file_systems/traditional_caching/client.h"
#include "sw/file_systems/traditional_caching/server.h"

namespace sunstar::file_systems::traditional_caching {
namespace {

/// A traditional parallel file system (TR94-226, section 4): compute processors ask for contiguous chunks, a block at a
/// time; I/O processors cache blocks. The way of one call is told in docs/file-systems/traditional-caching.md.
class TraditionalCaching final : public FileSystem {
 public:
  TraditionalCaching(System& system, const Params& params)
      : system_(system), params_(params), messages_(system.protocol.numbers) {}

  workload::Unit unit() const override { return workload::Unit::call; }

  void start() override {
    for (std::uint32_t i = 0; i < system_.nodes.io.size(); ++i)
      servers_.push_back(std::make_unique<Server>(system_, messages_, params_, i));
    barrier_ = std::make_unique<messages::Barrier>(system_.nodes.compute, system_.protocol.numbers);
    for (std::uint32_t p = 0; p < system_.nodes.compute.size(); ++p) {
      clients_.push_back(std::make_unique<Client>(system_, messages_, *barrier_, p));
      clients_.back()->start();
    }
  }

  void add_statistics(StatisticSet& set) override {
    for (auto& server : servers_) server->add_statistics(set);
  }

 private:
  System& system_;
  const Params params_;
  const Messages messages_;
  std::unique_ptr<messages::Barrier> barrier_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::unique_ptr<Server>> servers_;
};

}  // namespace

std::unique_ptr<FileSystem> make(const Params& params, System& system) {
  return std::make_unique<TraditionalCaching>(system, params);
}

std::uint64_t memory(const Params& params, const Sizes& sizes) {
  // Each buffer may have a second place, where a read arrives.
  return 2ull * params.cache.buffers_per_cp_per_disk * sizes.compute_processors * sizes.disks * sizes.block_bytes;
}

}  // namespace sunstar::file_systems::traditional_caching
