// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "sw/io/disk_driver.h"
#include "sw/file_systems/file_system.h"
#include "sw/workload/distributions/mapping.h"

namespace sunstar::io {

/// A block that a disk has to transfer.
struct BlockJob {
  std::uint32_t file = 0;
  std::uint64_t block = 0;
  std::uint64_t sector = 0;  ///< its first one on the disk
  std::uint64_t turn = 0;    ///< its place in the order of service
};

/// Whose bytes a block consists of, and how they get there: what differs between file systems that are disk-directed.
class BlockMover {
 public:
  /// Appends the block's pieces in file order and returns how many of its bytes they cover.
  virtual std::uint64_t find_pieces(const BlockJob&, std::vector<workload::Piece>& out) = 0;
  /// Moves all of them between the block's buffer and the compute processors; ends when all have been answered.
  virtual os::Task<> move(const BlockJob&, const std::vector<workload::Piece>&, std::byte* buffer, os::ReplyAction&) = 0;

 protected:
  ~BlockMover() = default;
};

/// The disk-directed part of an I/O processor: lists of blocks, one a local disk, transferred through a few one-block
/// buffers a disk with a thread each (TR94-226, section 4), so that one block moves over the network while the disk
/// works on another.
class BlockTransfers {
 public:
  using List = std::deque<BlockJob>;

  BlockTransfers(System& system, std::uint32_t io_processor);

  /// An empty list for each local disk.
  std::vector<List> lists() const { return std::vector<List>(drivers_.size()); }
  /// Adds a block to the list of its disk, which must be one of this node's.
  void add(std::vector<List>& lists, std::uint32_t file, std::uint64_t block) const;
  /// Charges for the lists' entries and sorts each by place on disk, if file_system.presort says so.
  void put_in_order(std::vector<List>& lists);
  /// Begins to transfer all blocks of the lists; those of the call before must be completed.
  void begin(std::vector<List> lists, workload::Operation operation, BlockMover& mover);
  /// Until every block has been moved over the network, and the mover is not needed any more: blocks that are written
  /// are then on disk or in the buffers.
  os::Task<> moved();
  /// Until every block has been transferred.
  os::Task<> completed();

  DiskDriver& driver(std::uint32_t device) { return drivers_[device]; }
  DiskDrivers& drivers() { return drivers_; }

 private:
  struct Work {
    std::vector<List> lists;
    std::vector<std::uint64_t> written;  ///< of each local disk: blocks handed to its driver so far, in that order
    bool write = false;
    BlockMover* mover = nullptr;
    std::size_t to_move = 0;  ///< blocks not moved yet
    unsigned threads = 0;     ///< buffer threads still at work
  };

  os::Task<> buffer_thread(std::uint32_t device, std::byte* buffer);

  System& system_;
  os::Os& os_;
  std::uint32_t io_processor_;
  DiskDrivers drivers_;
  std::vector<std::vector<std::byte*>> buffers_;  // of each local disk
  Work work_;
  os::WaitQueue moved_, done_, next_turn_;
};

}  // namespace sunstar::io
