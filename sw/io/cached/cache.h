// SPDX-License-Identifier: MIT
#pragma once
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/core/statistics.h"
#include "sw/io/nodes.h"
#include "sw/io/replacement/directory.h"
#include "sw/io/volume.h"
#include "sw/requests/access.h"

namespace sunstar::io::cached {

/// The cache of one I/O processor: one-block buffers for the blocks of all its disks. Writes stay in a buffer until it
/// is full (every byte of the block has been written). It then goes to disk while the writer goes on. Unwritten bytes
/// of a block are fetched from disk when they are needed.
class Cache {
 public:
  class Buffer;
  /// A bit for each byte of a block; null if none is set.
  using Bits = std::unique_ptr<std::uint64_t[]>;

  /// `most`: buffers.
  Cache(IoNode& node, const Volume& volume, std::string_view replacement, std::uint64_t most);

  /// Returns the buffer that holds the block, or null. Charges for the look-up.
  Buffer* find(std::uint32_t file, std::uint64_t block);
  /// Takes a free or replaceable buffer for a block that is not in the cache; returns null if there is none without
  /// waiting.
  Buffer* try_allocate(std::uint32_t file, std::uint64_t block);
  /// Finds the block or takes a buffer for it, and returns the buffer pinned; null if no buffer is free or the block is
  /// locked. room() waits until that may have changed.
  Buffer* try_obtain(std::uint32_t file, std::uint64_t block);
  os::Task<> room(std::uint32_t file, std::uint64_t block);
  void unpin(Buffer& b);

  /// Takes a block out of the cache for a caller that uses the disk itself: waits until the block has no users and is
  /// on disk, or forgets it at once if `forget`. Until unlock(), no other caller gets it. Call try_lock() first, which
  /// charges for the look-up.
  os::Task<> lock(std::uint32_t file, std::uint64_t block, bool forget);
  /// Locks a block that nobody has locked and no buffer holds; false for another one.
  bool try_lock(std::uint32_t file, std::uint64_t block);
  void unlock(std::uint32_t file, std::uint64_t block);
  bool locked(std::uint32_t file, std::uint64_t block) const {
    return !locked_.empty() && locked_.contains({file, block});
  }

  /// Whether `bytes` at `offset` of the buffer hold the file's content. If not, the block is being read from then on:
  ///   while (!cache.fetched(b, offset, bytes)) {
  ///     co_await b.waiters.wait();
  ///     if (b.read_error != hal::Status::ok) ...   it cannot be read; another call tries again
  ///   }
  bool fetched(Buffer& b, std::uint32_t offset, std::uint32_t bytes);
  /// Starts reading the whole block unless it is there or on its way.
  void start_read(Buffer& b);
  /// Starts reading a block of the file that is not in the cache. Returns false if no buffer is free for it.
  bool prefetch(std::uint32_t file, std::uint64_t block);
  /// Clears a buffer without data since its allocation, unless `bytes` fill the block: the old block's bytes must not
  /// show. To be called before writing into the buffer.
  void prepare_write(Buffer& b, std::uint32_t bytes);
  /// Notes that `bytes` at `offset` were written, and starts the write to disk when the buffer is full.
  void written(Buffer& b, std::uint32_t offset, std::uint32_t bytes);
  /// Writes all dirty buffers, full or not, and waits until all written bytes are on the media. Returns an error if
  /// written bytes have been lost since the last call, see lost().
  os::Task<hal::Status> sync();
  /// Writes that could not be brought to disk and have not been reported yet. Whoever reports them clears the list.
  std::vector<requests::Failed>& lost() { return lost_; }

  std::byte* data(Buffer& b) const;
  /// "<node>.cache.hits" and so on.
  void add_statistics(StatisticSet& set);
  std::uint64_t written_back = 0, forgotten = 0;  ///< blocks that lock() found in the cache
  std::uint64_t hits = 0, misses = 0, evictions = 0, cleared = 0;

 private:
  void add_buffer();
  void changed(Buffer& b);
  void wake_for_buffers();
  void wake_to_flush();
  void start_write(Buffer& b);
  void lose(Buffer& b, hal::Status status);
  os::Task<> flush_partial(Buffer& b);
  void submit(Buffer& b);
  /// Sets bits [from, from + count) and returns how many were clear before.
  std::uint32_t set(Bits& bits, std::uint32_t from, std::uint32_t count) const;

  const Volume& volume_;
  IoNode& node_;
  os::Os& os_;
  const std::uint64_t most_;      // buffers
  const std::uint64_t distance_;  // from one buffer's memory to the next one's
  std::byte* const memory_;
  std::vector<std::unique_ptr<Buffer>> buffers_;  // the buffers used so far; the host has no memory of others
  BlockDirectory<Buffer> directory_;
  std::uint64_t idle_ = 0;    // buffers that may be replaced: without any, waiting threads need not search
  std::uint64_t coming_ = 0;  // buffers on the disks' queues
  std::uint64_t called_ = 0;  // threads that were woken for a buffer and have not looked yet
  os::WaitQueue room_;
  boost::unordered_flat_set<BlockKey> locked_;
  os::WaitQueue unlocked_;
  std::vector<requests::Failed> lost_;
};

class Cache::Buffer final : public DiskRequest, public CacheEntry {
 public:
  Buffer(Cache& cache, os::Os& os, std::byte* memory);

  bool on_disk_queue = false;  ///< being read or written
  unsigned pins = 0;
  std::uint32_t dirty_bytes = 0;
  bool blank = true;  ///< no data have been put into it since its allocation
  bool all_valid = false;
  Bits dirty;                                ///< bytes written since the last write to disk
  Bits valid;                                ///< bytes that hold the file's content; unused if all_valid
  hal::Status read_error = hal::Status::ok;  ///< of the last read
  os::WaitQueue waiters;

  Replaceable replaceable() const override { return idle() ? Replaceable::yes : Replaceable::no; }
  bool idle() const { return pins == 0 && !on_disk_queue && dirty_bytes == 0; }

 private:
  friend class Cache;
  void finished(hal::Status status) override;
  Cache& cache_;
  bool counted_ = false;  // in the cache's idle_
  std::byte* memory_;
  std::byte* fetched_ = nullptr;  // takes the disk's bytes, so that they do not overwrite bytes written meanwhile
};

}  // namespace sunstar::io::cached
