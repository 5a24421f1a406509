// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <vector>

#include "sw/io/disk_driver.h"
#include "sw/file_systems/file_system.h"
#include "sw/file_systems/traditional_caching/cache.h"

namespace sunstar::file_systems {

/// A traditional parallel file system (TR94-226, section 4): compute processors ask for contiguous chunks, a block at a
/// time; I/O processors cache blocks. The way of one call, from `compute_main` to `serve_read` and back, is told in
/// docs/file-systems/traditional-caching.md.
class TraditionalCaching : public FileSystem {
 public:
  explicit TraditionalCaching(System& system);
  ~TraditionalCaching() override;
  void start() override;
  bool collective() const override { return false; }
  const io::DiskDriver* driver(const io::DiskPlace& p) const override {
    return servers_.empty() ? nullptr : &servers_[p.io_processor]->drivers[p.device];
  }
  /// Of each I/O processor's cache, "<node>.cache.hits" and so on.
  void add_statistics(StatisticSet&) override;

 private:
  /// A compute processor: one reply at most is outstanding for each disk.
  struct Client {
    std::vector<os::ReplyAction> slots;
  };
  struct Server {
    Server(System& system, std::uint32_t io_processor);
    io::DiskDrivers drivers;
    Cache cache;
  };

  os::Task<> compute_main(std::uint32_t processor);
  os::Task<> transfer(std::uint32_t processor, const workload::Access& access);
  os::Task<> serve_read(std::uint32_t io_processor, hal::Message& request);
  os::Task<> serve_write(std::uint32_t io_processor, hal::Message& request);
  os::Task<> serve_sync(std::uint32_t io_processor, hal::Message& request);
  void prefetch(Server& server, std::uint32_t file, std::uint64_t block);

  System& system_;
  std::vector<Client> clients_;
  std::vector<std::unique_ptr<Server>> servers_;
  std::unique_ptr<os::Barrier> barrier_;
};

}  // namespace sunstar::file_systems
