// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/core/statistics.h"
#include "sw/io/lost_blocks.h"
#include "sw/io/nodes.h"
#include "sw/io/page_cache/params.h"
#include "sw/io/replacement/directory.h"
#include "sw/io/volume.h"
#include "sw/os/mutex.h"
#include "sw/requests/access.h"

namespace sunstar::io {

/// The page cache of an I/O processor's kernel, after Linux 2.4: pages of 4 KiB of a server's local files, which it
/// keeps in clusters of a stripe because a stripe lies contiguously on disk. Reads bring in missing pages, and further
/// ones if they are sequential. Writes stay until they are old, too many, or replaced.
class PageCache {
 public:
  class Cluster final : public CacheEntry {
   public:
    Cluster(os::Os& os, std::byte* memory, std::uint32_t pages)
        : base(memory), valid(pages), dirty(pages), disk(os, "a cluster of pages under way") {}
    std::byte* const base;
    std::vector<bool> valid, dirty;
    std::uint32_t dirty_pages = 0;
    Time dirty_since{};
    boost::intrusive::list_member_hook<> dirty_order;
    unsigned users = 0;
    os::Mutex disk;  ///< held while pages go to or come from the disk

    Replaceable replaceable() const override {
      if (users > 0 || disk.held()) return Replaceable::no;
      return dirty_pages > 0 ? Replaceable::last : Replaceable::yes;
    }
  };
  static constexpr std::uint32_t page = 4096;

  PageCache(IoNode& node, const Volume& volume, const PageCacheParams& params);

  struct Read {
    Cluster* cluster;  ///< null if the bytes cannot be read
    hal::Status status;
  };
  /// Makes `bytes` from `at` of a file's stripe valid and returns them, pinned: release() them. Waits for the disk if
  /// pages are missing. Sequential reads are detected for each `opener`, as the kernel does for each open file.
  os::Task<Read> read(std::uint32_t opener, std::uint32_t file, std::uint64_t stripe, std::uint32_t at,
                      std::uint32_t bytes);
  /// Writes into a file's stripe. A page that is written in part is read first; if that fails, nothing is written.
  os::Task<hal::Status> write(std::uint32_t file, std::uint64_t stripe, std::uint32_t at, const content::Content& data);
  bool has(std::uint32_t file, std::uint64_t stripe, std::uint32_t at, std::uint32_t bytes);
  /// Fills in missing pages with pages from elsewhere. `at` and the data's length are whole pages.
  os::Task<> put(std::uint32_t file, std::uint64_t stripe, std::uint32_t at, const content::Content& data);
  void release(Cluster& cluster);
  /// Writes all changed pages, and returns when they are on the media. Returns an error if lost() holds any bytes.
  os::Task<hal::Status> sync();
  /// Written bytes that could not be brought to disk and that no answer has reported yet; a caller that reports them
  /// clears the list. Once their pages have left the cache, they cannot be read until they are written again.
  std::vector<requests::Failed>& lost() { return lost_; }

  void add_statistics(StatisticSet& set, const std::string& prefix);

 private:
  os::Task<Cluster*> obtain(BlockKey key);
  os::Task<hal::Status> fetch(Cluster& cluster, std::uint32_t first_page, std::uint32_t end_page);
  os::Task<hal::Status> transfer(Cluster& cluster, std::uint32_t first_page, std::uint32_t end_page, bool write);
  void lose(BlockKey key, std::uint32_t first_page, std::uint32_t end_page, hal::Status status);
  os::Task<> write_back(Cluster& cluster);
  os::Task<> write_back_old();
  os::Task<> read_on(BlockKey key, std::uint32_t first_page, std::uint32_t pages);
  os::Task<> fetch_ahead(BlockKey key, std::uint32_t first_page, std::uint32_t end_page);
  void changed(Cluster& cluster, std::uint32_t page);
  std::uint32_t pages_of(BlockKey key) const;
  BlockKey page_of(BlockKey key, std::uint32_t page) const { return {key.file, key.number * pages_of_stripe_ + page}; }

  IoNode& node_;
  os::Os& os_;
  const Volume& volume_;
  const PageCacheParams params_;
  const std::uint32_t pages_of_stripe_;
  const std::uint64_t most_clusters_;
  std::vector<std::unique_ptr<Cluster>> clusters_;
  // Those with changed pages, in the order in which they were changed first, as the kernel's list of dirty buffers is.
  boost::intrusive::list<
      Cluster, boost::intrusive::constant_time_size<false>,
      boost::intrusive::member_hook<Cluster, boost::intrusive::list_member_hook<>, &Cluster::dirty_order>>
      dirty_;
  BlockDirectory<Cluster> directory_;
  struct Position {
    std::uint64_t stripe;
    std::uint32_t page;  // where a read that goes on begins
  };
  std::map<std::array<std::uint32_t, 3>, Position> positions_;  // by opener, file and unit
  os::WaitQueue room_;
  std::vector<requests::Failed> lost_;
  LostBlocks lost_pages_;
  std::uint64_t dirty_pages_ = 0;
  std::uint64_t hits_ = 0, misses_ = 0, ahead_ = 0, written_ = 0, throttled_ = 0;
};

}  // namespace sunstar::io
