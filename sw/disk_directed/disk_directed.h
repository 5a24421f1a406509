// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "sw/file/disk_driver.h"
#include "sw/file/file_system.h"

namespace sunstar::file {

/// Disk-directed I/O (TR94-226, sections 3 and 4): the compute processors hand one collective request to all I/O processors,
/// which move each block between disk and memories in the order that suits the disks. The way of a collective is
/// told in docs/file-systems/disk-directed.md.
class DiskDirected : public FileSystem {
 public:
  explicit DiskDirected(System& system);
  ~DiskDirected() override;
  void start() override;
  bool collective() const override { return true; }
  const DiskDriver* driver(const DiskPlace& p) const override {
    return servers_.empty() ? nullptr : &servers_[p.io_processor]->drivers[p.device];
  }

 private:
  /// A block that a disk still has to transfer.
  struct Entry {
    std::uint64_t block;
    std::uint64_t sector;
    std::uint64_t turn = 0;  ///< its place in the order of service
  };
  /// One collective at one I/O processor.
  struct Work {
    std::uint32_t collective = 0;
    std::vector<std::deque<Entry>> lists;  ///< of each local disk, in the order of service
    std::vector<std::uint64_t> written;    ///< of each local disk: blocks handed to its driver so far, in that order
    unsigned threads = 0;                  ///< buffer threads still at work
    std::unique_ptr<os::WaitQueue> done;
    std::unique_ptr<os::WaitQueue> next_turn;
  };
  struct Server {
    Server(System& system, std::uint32_t io_processor);
    DiskDrivers drivers;
    std::vector<std::vector<std::byte*>> buffers;  ///< of each local disk
  };
  struct Transfer;

  os::Task<> compute_main(std::uint32_t processor);
  os::Task<> serve_collective(std::uint32_t io_processor, hal::Message& request);
  os::Task<> buffer_thread(std::uint32_t io_processor, Work& work, std::uint32_t device, std::byte* buffer);
  os::Task<> carry_out(DiskDriver& driver, Transfer& transfer);
  os::Task<> move_pieces(std::uint32_t io_processor, std::uint32_t collective, std::uint64_t block, std::byte* buffer,
                         os::ReplyAction& action, const std::vector<Piece>& pieces);

  System& system_;
  std::vector<std::unique_ptr<Server>> servers_;
  std::unique_ptr<os::Barrier> barrier_;
};

}  // namespace sunstar::file
