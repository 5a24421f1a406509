// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <set>

#include "models/core/param.h"
#include "sw/io/nodes.h"
#include "sw/io/volume.h"
#include "sw/requests/access.h"

namespace sunstar::io {

/// The order in which concurrent transfers get a disk's free buffers.
BOOST_DEFINE_ENUM_CLASS(TransferOrder,
                        first_come,  ///< to the transfer that began first
                        round_robin  ///< to each transfer in turn, block by block
)

struct BlockTransferParams {
  bool presort = true;
  std::uint32_t buffers_per_disk = 2;
  TransferOrder several = TransferOrder::first_come;
};
BOOST_DESCRIBE_STRUCT(BlockTransferParams, (), (presort, buffers_per_disk, several))
inline std::vector<Param> parameters(const BlockTransferParams*) {
  return {
      {"presort", "whether each disk transfers a request's blocks in order of their position on it"},
      {"buffers_per_disk", "one-block buffers for each disk, each with its own thread (TR94-226, section 4: 2)", "1",
       "64"},
      Param{"several",
            "if several collectives are under way at once, whose block is next at a disk: the one's that came first, "
            "or each one's in turn"}
          .used_unless("workload.jobs", "[]"),
  };
}

class ListedBlock {
 public:
  /// There are fewer than 2^20 files, of fewer than 2^44 blocks.
  ListedBlock(std::uint32_t file, std::uint64_t block) : both_(std::uint64_t{file} << 44 | block) {}
  std::uint32_t file() const { return static_cast<std::uint32_t>(both_ >> 44); }
  std::uint64_t block() const { return both_ & ((std::uint64_t{1} << 44) - 1); }

 private:
  std::uint64_t both_;  // lists may have very many
};

struct BlockJob {
  std::uint32_t file = 0;
  std::uint64_t block = 0;
  std::uint64_t sector = 0;  ///< the block's first sector on its unit
  std::uint64_t turn = 0;    ///< its position in the disk's order of service
};

/// Keeps other users away from a block while a transfer has it in a buffer.
class BlockGuard {
 public:
  /// Waits until the block is this transfer's alone and the disk holds its newest bytes. `whole`: a write will replace
  /// the whole block, so older bytes may be forgotten.
  virtual os::Task<> acquire(const BlockJob& job, bool write, bool whole) = 0;
  /// The same if there is nothing to wait for; otherwise false, and acquire() is called next.
  virtual bool try_acquire(const BlockJob& job) = 0;
  virtual void release(const BlockJob& job) = 0;

 protected:
  ~BlockGuard() = default;
};

/// Decides which processors hold the bytes of a block, and moves the bytes to or from them. Disk-directed file systems
/// differ in it.
class BlockMover {
 public:
  /// Appends the block's pieces in file order; returns how many of the block's bytes they cover.
  virtual std::uint64_t find_pieces(const BlockJob&, std::vector<requests::Piece>& out) = 0;
  /// Moves these pieces between the block's buffer and the compute processors; ends when every piece has been answered.
  virtual os::Task<> move(const BlockJob&, const std::vector<requests::Piece>&, std::byte* buffer,
                          messages::ReplyAction&) = 0;
  /// The bytes of a block have been moved, or cannot be: the block is unreadable or their processor is gone.
  virtual void moved(std::uint64_t) {}
  virtual void left_out(std::uint64_t) {}
  virtual hal::NodeId node(const requests::Piece&) const = 0;

 protected:
  ~BlockMover() = default;
};

/// The disk-directed part of an I/O processor. It transfers lists of blocks, one list for each local disk, through a
/// few one-block buffers for each disk. Each buffer has a thread (TR94-226, section 4), so that one block moves over
/// the network while the disk works on another.
class BlockTransfers {
 public:
  using List = std::deque<ListedBlock>;

  /// `guard` may be null if the blocks have no other users.
  BlockTransfers(IoNode& node, const Volume& volume, const BlockTransferParams& params, requests::Recorder& record,
                 BlockGuard* guard = nullptr);

  /// Returns an empty list for each local unit of the store.
  std::vector<List> lists() const { return std::vector<List>(node_.store.units()); }
  /// Adds a block to the list of its unit, which must belong to this node.
  void add(std::vector<List>& lists, std::uint32_t file, std::uint64_t block) const;
  /// Charges for the lists' entries and, with `presort`, sorts each list by position.
  void put_in_order(std::vector<List>& lists);
  /// Lists of blocks in transfer. Lives until completed() has returned.
  class Transfer {
   public:
    explicit Transfer(os::Os& os)
        : moved_(os, "the blocks of a disk-directed transfer"),
          done_(os, "the buffer threads of a disk-directed transfer"),
          next_turn_(os, "the previous block in the disk's order") {}

    /// Waits until every block has been moved over the network and the mover is no longer needed: blocks to be written
    /// are then on disk or in the buffers.
    os::Task<> moved();
    /// Waits until every block has been transferred.
    os::Task<> completed();
    /// The blocks that could not be transferred; for a write, also earlier writes to its files that a disk may have
    /// lost with its power. Whoever reports them notes them in the record.
    const std::vector<requests::Failed>& failures() const { return failures_; }
    std::vector<requests::Failed> take_failures() { return std::exchange(failures_, {}); }

   private:
    friend class BlockTransfers;
    std::vector<List> lists_;
    std::vector<std::uint64_t> taken_;    // by local unit: blocks that a buffer has taken so far
    std::vector<std::uint64_t> written_;  // by local unit: blocks handed to it so far, in their order of service
    bool write_ = false;
    requests::Operation operation() const { return write_ ? requests::Operation::write : requests::Operation::read; }
    BlockMover* mover_ = nullptr;
    std::uint64_t number_ = 0;  // transfers count from 1
    std::size_t to_move_ = 0;   // blocks not moved yet
    std::size_t left_ = 0;      // blocks not taken by a buffer yet
    unsigned threads_ = 0;      // buffer threads at work on the transfer
    os::WaitQueue moved_, done_, next_turn_;
    std::vector<requests::Failed> failures_;
    struct Row {
      std::size_t to_come = 0;             // blocks that are not ready to be read or written
      std::vector<DiskRequest*> requests;  // the requests for the blocks that are ready
    };
    std::map<std::uint64_t, Row> rows_;  // by their numbers; empty if the store does not prefer rows
    std::set<std::uint32_t> files_;      // of a write
  };
  /// Starts to transfer all blocks of the lists, beside other transfers. Blocks that share a row of the store reach it
  /// together, if it prefers that.
  void begin(Transfer& transfer, std::vector<List> lists, requests::Operation operation, BlockMover& mover);

 private:
  struct Buffer {
    std::uint32_t unit;
    std::byte* memory;
    bool busy = false;  ///< its thread runs
  };

  os::Task<> buffer_thread(Buffer& buffer, Transfer* transfer);
  void find_rows(Transfer& transfer) const;
  os::Task<> begin_row(Transfer& transfer, Transfer::Row& row, AwaitedRequest* request);
  void failed(Transfer& transfer, const BlockJob& job, hal::Status status) const;
  /// Notes the pieces whose processors are gone as failed, and takes them out. Returns their bytes.
  std::uint64_t leave_gone_out(Transfer& transfer, const BlockJob& job, std::vector<requests::Piece>& pieces) const;
  /// A buffer's thread ends its work for a transfer.
  os::Task<> leave(Transfer& transfer);
  /// The transfer whose block is next on the unit; null if no block waits there.
  Transfer* next(std::uint32_t unit);

  IoNode& node_;
  const Volume& volume_;
  const BlockTransferParams params_;
  requests::Recorder& record_;
  BlockGuard* const guard_;
  os::Os& os_;
  std::deque<Buffer> buffers_;              // unit after unit
  std::vector<Transfer*> under_way_;        // transfers with blocks that no buffer has taken, in order of their numbers
  std::vector<std::uint64_t> served_last_;  // by unit: the number of the transfer whose block came last
  std::uint64_t transfers_ = 0;             // begun so far
  std::vector<requests::Failed> lost_;      // blocks lost with a disk's power, of files that no transfer has written
                                            // since
};

}  // namespace sunstar::io
