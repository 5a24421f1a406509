// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/core/param.h"
#include "sw/io/nodes.h"
#include "sw/io/volume.h"
#include "sw/workload/distributions/mapping.h"
#include "sw/workload/job.h"

namespace sunstar::io {

/// How an I/O processor transfers lists of blocks.
struct BlockTransferParams {
  bool presort = true;
  std::uint32_t buffers_per_disk = 2;
};
BOOST_DESCRIBE_STRUCT(BlockTransferParams, (), (presort, buffers_per_disk))
inline std::vector<Param> parameters(const BlockTransferParams*) {
  return {
      {"presort", "whether each disk transfers a request's blocks in order of their position on it"},
      {"buffers_per_disk", "one-block buffers for each disk, each with its own thread (TR94-226, section 4: 2)", "1",
       "64"},
  };
}

/// A block that a disk has to transfer.
struct BlockJob {
  std::uint32_t file = 0;
  std::uint64_t block = 0;
  std::uint64_t sector = 0;  ///< the block's first sector on the disk
  std::uint64_t turn = 0;    ///< its position in the disk's order of service
};

/// Decides which processors hold the bytes of a block, and moves the bytes to or from them. This is where disk-directed
/// file systems differ.
class BlockMover {
 public:
  /// Appends the block's pieces in file order; returns how many of the block's bytes they cover.
  virtual std::uint64_t find_pieces(const BlockJob&, std::vector<workload::Piece>& out) = 0;
  /// Moves these pieces between the block's buffer and the compute processors; ends when every piece has been answered.
  virtual os::Task<> move(const BlockJob&, const std::vector<workload::Piece>&, std::byte* buffer,
                          messages::ReplyAction&) = 0;

 protected:
  ~BlockMover() = default;
};

/// The disk-directed part of an I/O processor. It transfers lists of blocks, one list for each local disk, through a
/// few one-block buffers for each disk. Each buffer has a thread (TR94-226, section 4), so that one block moves over
/// the network while the disk works on another.
class BlockTransfers {
 public:
  using List = std::deque<BlockJob>;

  BlockTransfers(IoNode& node, const Volume& volume, const BlockTransferParams& params, workload::Recorder& record);

  /// Returns an empty list for each local disk.
  std::vector<List> lists() const { return std::vector<List>(node_.drivers.size()); }
  /// Adds a block to the list of its disk, which must belong to this node.
  void add(std::vector<List>& lists, std::uint32_t file, std::uint64_t block) const;
  /// Charges for the lists' entries and, with `presort`, sorts each list by position on disk.
  void put_in_order(std::vector<List>& lists);
  /// Starts to transfer all blocks of the lists. The transfers of the previous call must have been completed.
  void begin(std::vector<List> lists, workload::Operation operation, BlockMover& mover);
  /// Waits until every block has been moved over the network and the mover is no longer needed: blocks to be written
  /// are then on disk or in the buffers.
  os::Task<> moved();
  /// Waits until every block has been transferred.
  os::Task<> completed();

 private:
  struct Work {
    std::vector<List> lists;
    std::vector<std::uint64_t>
        written;  ///< by local disk: blocks handed to its driver so far, in their order of service
    bool write = false;
    BlockMover* mover = nullptr;
    std::size_t to_move = 0;  ///< blocks not moved yet
    unsigned threads = 0;     ///< buffer threads still at work
  };

  os::Task<> buffer_thread(std::uint32_t device, std::byte* buffer);

  IoNode& node_;
  const Volume& volume_;
  const BlockTransferParams params_;
  workload::Recorder& record_;
  os::Os& os_;
  std::vector<std::vector<std::byte*>> buffers_;  // by local disk
  Work work_;
  os::WaitQueue moved_, done_, next_turn_;
};

}  // namespace sunstar::io
