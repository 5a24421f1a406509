// SPDX-License-Identifier: MIT
#pragma once
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <deque>
#include <list>
#include <vector>

#include "models/core/statistics.h"
#include "sw/io/lost_blocks.h"
#include "sw/io/nodes.h"
#include "sw/io/replacement/directory.h"
#include "sw/os/os.h"

// The buffer cache of an I/O processor (Galley, 4.2.2).
namespace sunstar::file_systems::galley {

class CacheManager;

struct DiskBlock {
  std::uint32_t device = 0;
  std::uint32_t block = 0;
  auto operator<=>(const DiskBlock&) const = default;
  friend std::size_t hash_value(const DiskBlock& b) { return std::size_t{b.device} << 32 | b.block; }
};

/// A buffer of the cache. Whoever got it from the cache may use its data until it gives the buffer back.
class Buffer final : public io::DiskRequest, public io::CacheEntry {
 public:
  DiskBlock holds() const { return {key().file, static_cast<std::uint32_t>(key().number)}; }
  std::byte* bytes() const { return data.bytes; }

 private:
  friend class CacheManager;
  void finished(hal::Status status) override;
  // A changed block is as good as any: the block that takes over its buffer has it written out first.
  Replaceable replaceable() const override {
    return references_ == 0 && !busy_ && waiters_.empty() ? Replaceable::yes : Replaceable::no;
  }
  struct Waiter {
    class Delivery* to;
    std::uint32_t item;
    bool whole;
  };
  CacheManager* cache_ = nullptr;
  bool ready_ = false;  // its data can be used
  bool dirty_ = false;
  bool busy_ = false;   // the disk reads or writes it
  bool fetch_ = false;  // it must be read when it has been written out
  DiskBlock written_;   // if busy with a write: the block
  bool filled_ =
      true;           // holds the block's bytes; otherwise the thread that writes the whole block has yet to bring them
  bool new_ = false;  // and the block has just been given to a file
  std::uint32_t references_ = 0;
  std::vector<Waiter> waiters_;
};

struct LostBlock {
  DiskBlock block;
  hal::Status status;
};

/// A block that a thread wants, as an item of a list of wishes.
struct Wish {
  DiskBlock block;
  bool whole = false;  ///< the thread will write all of it, so it need not be read; others wait for what it writes
};

/// The queue of buffers on which a thread waits for its wished blocks, which come in any order.
class Delivery {
 public:
  explicit Delivery(os::Os& os) : arrival_(os, "a buffer of the cache") {}

  struct Arrived {
    Buffer* buffer;      ///< null if the block cannot be read
    std::uint32_t item;  ///< of the list of wishes
    hal::Status status = hal::Status::ok;
  };
  /// Waits for the next one. Call it no more often than there are wishes.
  os::Task<Arrived> next() {
    while (arrived_.empty()) co_await arrival_.wait();
    co_return take_first(arrived_);
  }
  /// Whether a thread that holds buffers may wait for the next one: one is there, or the cache still looks for the
  /// thread's blocks and has found all earlier ones. Otherwise the thread should first finish with its buffers, because
  /// others may need them.
  os::Task<bool> comes_soon() {
    while (arrived_.empty() && searching_ && found_ == looked_up_) co_await arrival_.wait();
    co_return !arrived_.empty();
  }

 private:
  friend class CacheManager;
  void deliver(const Arrived& arrived) {
    arrived_.push_back(arrived);
    ++found_;
    arrival_.wake_all();
  }
  std::deque<Arrived> arrived_;
  os::WaitQueue arrival_;
  std::uint64_t looked_up_ = 0, found_ = 0;
  bool listed_ = false;     // the cache has items of its list left
  bool searching_ = false;  // and is not waiting for a free buffer
};

/// The cache: a directory of all buffers, and a list of wished blocks for each thread, served in turn, a block at a
/// time. A thread of its own looks the blocks up (0041). A block that is not there replaces another one, which is
/// written out first if it was changed. The disks' drivers order the transfers; nothing is prefetched.
class CacheManager {
 public:
  /// `buffers` blocks of `block_bytes`, replaced by the policy of that name.
  CacheManager(io::IoNode& node, std::uint32_t buffers, std::uint32_t block_bytes, std::uint32_t sectors_per_block,
               const std::string& replacement = "lru");

  /// Looks for the blocks and delivers each when its data are there, or when it is known that they cannot be read. Both
  /// arguments must live until all have been delivered. A list that has grown may be handed over again, and the cache
  /// looks for what is new.
  void want(const std::vector<Wish>& wishes, Delivery& delivery);
  /// One block, for the calling thread, which may read and write its bytes; null if it cannot be read: see error().
  os::Task<Buffer*> get(DiskBlock block, bool whole = false);
  void changed(Buffer& buffer);
  void give_back(Buffer& buffer);
  /// A thread that has not brought all of its bytes calls this instead of changed() and give_back(). If it was to write
  /// the whole block, threads that wait for the block get the disk's bytes.
  void give_up(Buffer& buffer);
  /// The block has just been given to a file: it need not be read before it is written for the first time.
  void is_fresh(DiskBlock block) { fresh_.insert(block); }
  /// The block belongs to no file any more: its content need not be written. Call it only if no thread uses it.
  void forget(DiskBlock block);
  /// Writes all blocks changed so far, and returns when they are on the media. Fails if lost() holds a block.
  os::Task<hal::Status> flush();
  /// Changed blocks that could not be written and that no call has reported yet; a caller that reports them clears the
  /// list. Once such a block has left the cache, it cannot be read until all of it is written again.
  std::vector<LostBlock>& lost() { return lost_; }
  /// The last error of a device.
  hal::Status error(std::uint32_t device) const { return errors_[device]; }

  void add_statistics(StatisticSet& set, const std::string& prefix);

 private:
  friend class Buffer;
  static io::BlockKey key(DiskBlock block) { return {block.device, block.block}; }
  struct Search {
    const std::vector<Wish>* wishes;
    Delivery* delivery;
    hal::RequestId request;  // for observers
  };
  os::Task<> thread();
  bool look_up(Search& search);
  void take_over(Buffer& buffer, const Wish& wish);
  void write_back(Buffer& buffer, DiskBlock block);
  void start(Buffer& buffer, DiskBlock block, bool write);
  void transferred(Buffer& buffer, hal::Status status);
  void lose(DiskBlock block, hal::Status status);
  void fail(Buffer& buffer, hal::Status status);
  void ready(Buffer& buffer);
  /// Waits until the disk has the block that the buffer is being written from.
  os::Task<> written(const Buffer& buffer);
  static bool serves(const Buffer& buffer, bool whole) { return buffer.ready_ && (buffer.filled_ || whole); }
  void deliver(Buffer& buffer);
  void room();

  io::IoNode& node_;
  os::Os& os_;
  const std::uint32_t block_bytes_, sectors_per_block_;
  std::deque<Buffer> buffers_;
  io::BlockDirectory<Buffer> directory_;
  boost::unordered_flat_set<DiskBlock> fresh_;
  std::list<Search> searches_;
  std::list<Search>::iterator turn_;
  os::WaitQueue work_, room_, flushed_;
  std::vector<LostBlock> lost_;
  io::LostBlocks old_on_disk_;
  std::vector<hal::Status> errors_;  // by device
  bool stuck_ = false;               // the thread waits for a free buffer
  std::uint64_t hits_ = 0, misses_ = 0, joined_ = 0, written_out_ = 0, waits_ = 0;
};

}  // namespace sunstar::file_systems::galley
