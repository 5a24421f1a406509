// SPDX-License-Identifier: MIT
#include <memory>
#include <vector>

#include "sw/file_systems/disk_directed/client.h"
#include "sw/file_systems/disk_directed/server.h"

namespace sunstar::file_systems::disk_directed {
namespace {

/// Disk-directed I/O (TR94-226, sections 3 and 4): the compute processors hand one collective request to all I/O
/// processors, which move each block between disk and memories in the order that suits the disks. The way of a
/// collective is told in docs/file-systems/disk-directed.md.
class DiskDirected final : public FileSystem {
 public:
  DiskDirected(System& system, const Params& params)
      : system_(system), params_(params), messages_(system.protocol.numbers) {}

  workload::Unit unit() const override { return workload::Unit::collective; }

  void start() override {
    for (std::uint32_t i = 0; i < system_.nodes.io.size(); ++i)
      servers_.push_back(std::make_unique<Server>(system_, messages_, params_, i));
    barrier_ = std::make_unique<messages::Barrier>(system_.nodes.compute, system_.protocol.numbers);
    for (std::uint32_t p = 0; p < system_.nodes.compute.size(); ++p) {
      system_.nodes.compute[p]->offer(system_.job.memory[p]);
      clients_.push_back(std::make_unique<Client>(system_, messages_, *barrier_, p));
    }
    for (auto& client : clients_) client->start();
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
  return std::make_unique<DiskDirected>(system, params);
}

std::uint64_t memory(const Params& params, const Sizes& sizes) {
  return params.buffers_per_disk * sizes.disks * sizes.block_bytes;
}

}  // namespace sunstar::file_systems::disk_directed
