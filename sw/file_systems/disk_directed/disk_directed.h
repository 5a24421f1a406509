// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <vector>

#include "sw/io/block_transfers.h"
#include "sw/file_systems/file_system.h"

namespace sunstar::file_systems {

/// Disk-directed I/O (TR94-226, sections 3 and 4): the compute processors hand one collective request to all I/O
/// processors, which move each block between disk and memories in the order that suits the disks. The way of a
/// collective is told in docs/file-systems/disk-directed.md.
class DiskDirected : public FileSystem {
 public:
  explicit DiskDirected(System& system);
  ~DiskDirected() override;
  void start() override;
  bool collective() const override { return true; }
  const io::DiskDriver* driver(const io::DiskPlace& p) const override {
    return servers_.empty() ? nullptr : &servers_[p.io_processor]->driver(p.device);
  }

 private:
  class Mover;

  os::Task<> compute_main(std::uint32_t processor);
  os::Task<> serve_collective(std::uint32_t io_processor, hal::Message& request);

  System& system_;
  std::vector<std::unique_ptr<io::BlockTransfers>> servers_;
  std::unique_ptr<os::Barrier> barrier_;
};

}  // namespace sunstar::file_systems
