// SPDX-License-Identifier: MIT
#include "sw/io/page_cache/page_cache.h"

#include "sw/io/sync.h"

namespace sunstar::io {

using os::Cost;

PageCache::PageCache(IoNode& node, const Volume& volume, const PageCacheParams& params)
    : node_(node),
      os_(node.endpoint.os),
      volume_(volume),
      params_(params),
      pages_of_stripe_((volume.block_bytes() + page - 1) / page),
      most_clusters_(std::max<std::uint64_t>(params.size.count / volume.block_bytes(), 4)),
      directory_(params.replacement, static_cast<std::uint32_t>(most_clusters_)),
      room_(os_, "room in the buffer cache") {
  os_.spawn(write_back_old(), "kupdated", {.daemon = true});
}

void PageCache::release(Cluster& cluster) {
  if (--cluster.users == 0) room_.wake_all();
}

// A file's last stripe may be short.
std::uint32_t PageCache::pages_of(BlockKey key) const {
  return (volume_.bytes_in_block(key.file, key.number) + page - 1) / page;
}

bool PageCache::has(std::uint32_t file, std::uint64_t stripe, std::uint32_t at, std::uint32_t bytes) {
  Cluster* const found = directory_.find({file, stripe}).entry;
  if (!found) return false;
  const auto& valid = found->valid;
  return std::all_of(valid.begin() + at / page, valid.begin() + (at + bytes - 1) / page + 1, [](bool v) { return v; });
}

os::Task<PageCache::Cluster*> PageCache::obtain(BlockKey key) {
  for (;;) {
    os_.charge(Cost::cache_lookup);
    if (Cluster* const cluster = directory_.find(key).entry) {
      directory_.touch(*cluster);
      ++cluster->users;
      co_return cluster;
    }
    os_.charge(Cost::cache_allocate);
    Cluster* cluster = nullptr;
    if (clusters_.size() < most_clusters_) {
      std::byte* const memory = os_.node().allocate(std::uint64_t{pages_of_stripe_} * page);
      cluster = clusters_.emplace_back(std::make_unique<Cluster>(os_, memory, pages_of_stripe_)).get();
    } else {
      cluster = directory_.candidate(key);
    }
    if (!cluster) {
      co_await room_.wait();
      continue;
    }
    ++cluster->users;
    if (cluster->dirty_pages == 0) {
      if (cluster->holds_block()) os_.note("evict", cluster->key().file, cluster->key().number);
      std::fill(cluster->valid.begin(), cluster->valid.end(), false);
      directory_.assign(*cluster, key);
      co_return cluster;
    }
    // Every unused cluster has been changed: the policy chooses one of them to make room.
    co_await write_back(*cluster);
    release(*cluster);
  }
}

os::Task<hal::Status> PageCache::transfer(Cluster& cluster, std::uint32_t first_page, std::uint32_t end_page,
                                          bool write) {
  const std::uint32_t from = first_page * page;
  const std::uint32_t to = std::min(end_page * page, volume_.block_bytes());
  AwaitedRequest request(os_);
  volume_.aim(request, cluster.key().file, cluster.key().number, from, to - from);
  request.data = {cluster.base + from};
  request.write = write;
  const hal::Status status = co_await request.carry_out(node_.store);
  co_return status;
}

/// A file's pages could not be written. They stay valid until they leave the cache.
void PageCache::lose(BlockKey key, std::uint32_t first_page, std::uint32_t end_page, hal::Status status) {
  const os::NotOnTheMachine mark;
  const std::uint32_t from = first_page * page;
  const std::uint32_t to = std::min(end_page * page, volume_.bytes_in_block(key.file, key.number));
  lost_.push_back({key.file, requests::Operation::write, key.number * volume_.block_bytes() + from, to - from, status});
  for (std::uint32_t p = first_page; p < end_page; ++p) lost_pages_.lose(page_of(key, p), status);
}

/// Reads the pages of [first_page, end_page) that are missing. After an error, those behind it may still be missing.
os::Task<hal::Status> PageCache::fetch(Cluster& cluster, std::uint32_t first_page, std::uint32_t end_page) {
  const auto guard = co_await cluster.disk.lock();
  for (std::uint32_t p = first_page; p < end_page; ++p) {
    if (cluster.valid[p]) continue;
    std::uint32_t end = p + 1;
    while (end < end_page && !cluster.valid[end]) ++end;
    hal::Status status = lost_pages_.status(page_of(cluster.key(), p), end - p);
    if (status == hal::Status::ok) status = co_await transfer(cluster, p, end, false);
    if (status != hal::Status::ok) co_return status;
    std::fill(cluster.valid.begin() + p, cluster.valid.begin() + end, true);
    p = end - 1;
  }
  co_return hal::Status::ok;
}

os::Task<PageCache::Read> PageCache::read(std::uint32_t opener, std::uint32_t file, std::uint64_t stripe,
                                          std::uint32_t at, std::uint32_t bytes) {
  const BlockKey key{file, stripe};
  Cluster* const cluster = co_await obtain(key);
  const std::uint32_t first = at / page, end = (at + bytes - 1) / page + 1;
  const bool there = has(file, stripe, at, bytes);
  (there ? hits_ : misses_) += 1;
  const auto& valid = cluster->valid;
  const bool partly = !there && std::find(valid.begin() + first, valid.begin() + end, true) != valid.begin() + end;
  os_.note(there ? "hit" : partly ? "partial hit" : "miss", file, stripe);
  const Stripes stripes = volume_.stripes(file);
  const std::uint32_t unit = stripes.unit_of(stripe);
  Position& next = positions_.try_emplace({opener, file, unit}, Position{stripes.block(unit, 0), 0}).first->second;
  const std::uint64_t after = stripes.next(next.stripe);
  // The kernel reads on once a file is read from its beginning or where the last read ended.
  const bool goes_on = (stripe == next.stripe && first == next.page) ||
                       (stripe == after && first == 0 && next.page >= pages_of({file, next.stripe}));
  next = {stripe, end};
  if (goes_on && params_.read_ahead.count > 0)
    co_await read_on(key, end, static_cast<std::uint32_t>(params_.read_ahead.count / page));
  Read done{cluster, hal::Status::ok};
  if (!there) done.status = co_await fetch(*cluster, first, end);
  if (done.status != hal::Status::ok) {
    release(*cluster);
    done.cluster = nullptr;
  }
  co_return done;
}

/// Starts reading `pages` pages of the local file, from a page of a stripe on, if the first of them are missing.
os::Task<> PageCache::read_on(BlockKey key, std::uint32_t first_page, std::uint32_t pages) {
  while (pages > 0 && key.number < volume_.blocks(key.file)) {
    const std::uint32_t end = std::min(first_page + pages, pages_of(key));
    if (first_page < end) {
      if (!has(key.file, key.number, first_page * page, (end - first_page) * page)) {
        ahead_ += end - first_page;
        os_.note("prefetch", key.file, key.number);
        os_.spawn(fetch_ahead(key, first_page, end), "read-ahead");
      }
      pages -= end - first_page;
    }
    key.number = volume_.stripes(key.file).next(key.number);
    first_page = 0;
  }
  co_return;
}

os::Task<> PageCache::fetch_ahead(BlockKey key, std::uint32_t first_page, std::uint32_t end_page) {
  Cluster* const cluster = co_await obtain(key);
  co_await fetch(*cluster, first_page, end_page);
  release(*cluster);
}

void PageCache::changed(Cluster& cluster, std::uint32_t p) {
  cluster.valid[p] = true;
  if (cluster.dirty[p]) return;
  cluster.dirty[p] = true;
  ++dirty_pages_;
  if (cluster.dirty_pages++ > 0) return;
  cluster.dirty_since = os_.now();
  dirty_.push_back(cluster);
}

os::Task<hal::Status> PageCache::write(std::uint32_t file, std::uint64_t stripe, std::uint32_t at,
                                       const content::Content& data) {
  const BlockKey key{file, stripe};
  Cluster* const cluster = co_await obtain(key);
  const auto end = at + static_cast<std::uint32_t>(data.size());
  const std::uint32_t first = at / page, last = (end - 1) / page;
  const std::uint32_t file_end = volume_.bytes_in_block(file, stripe);
  // Partly written pages; behind the file's end is nothing to keep.
  hal::Status status = hal::Status::ok;
  if (at % page != 0 && !cluster->valid[first]) status = co_await fetch(*cluster, first, first + 1);
  if (status == hal::Status::ok && end % page != 0 && end != file_end && !cluster->valid[last])
    status = co_await fetch(*cluster, last, last + 1);
  if (status != hal::Status::ok) {
    release(*cluster);
    co_return status;
  }
  {
    const auto guard = co_await cluster->disk.lock();
    os_.memory().write(cluster->base + at, data);
    for (std::uint32_t p = first; p <= last; ++p) changed(*cluster, p);
  }
  os_.note("write", file, stripe);
  os_.charge_copy(data.size());
  co_await os_.settle();
  release(*cluster);
  const auto most =
      static_cast<std::uint64_t>(params_.dirty_share * static_cast<double>(most_clusters_)) * pages_of_stripe_;
  while (dirty_pages_ > std::max<std::uint64_t>(most, pages_of_stripe_)) {
    const auto next = std::find_if(dirty_.begin(), dirty_.end(), [](const Cluster& c) { return !c.disk.held(); });
    if (next == dirty_.end()) break;
    ++throttled_;
    Cluster& oldest = *next;
    ++oldest.users;
    co_await write_back(oldest);
    release(oldest);
  }
  co_return hal::Status::ok;
}

os::Task<> PageCache::put(std::uint32_t file, std::uint64_t stripe, std::uint32_t at, const content::Content& data) {
  Cluster* const cluster = co_await obtain({file, stripe});
  {
    const auto guard = co_await cluster->disk.lock();
    for (std::uint32_t some = 0; some < data.size(); some += page) {
      const std::uint32_t p = (at + some) / page;
      if (cluster->valid[p]) continue;
      os_.memory().write(cluster->base + at + some, data, some, std::min(page, data.size() - some));
      cluster->valid[p] = true;
    }
  }
  release(*cluster);
}

/// Writes the changed pages of a cluster, run by run. Pages that cannot be written are lost, so that their room can be
/// used.
os::Task<> PageCache::write_back(Cluster& cluster) {
  const auto guard = co_await cluster.disk.lock();
  if (cluster.dirty_pages == 0) co_return;
  os_.note("write back", cluster.key().file, cluster.key().number);
  dirty_.erase(dirty_.iterator_to(cluster));
  for (std::uint32_t p = 0; p < pages_of_stripe_; ++p) {
    if (!cluster.dirty[p]) continue;
    std::uint32_t end = p;
    for (; end < pages_of_stripe_ && cluster.dirty[end]; ++end) cluster.dirty[end] = false;
    cluster.dirty_pages -= end - p;
    dirty_pages_ -= end - p;
    written_ += end - p;
    const hal::Status status = co_await transfer(cluster, p, end, true);
    if (status == hal::Status::ok) lost_pages_.written(page_of(cluster.key(), p), end - p);
    else lose(cluster.key(), p, end, status);
    p = end;
  }
}

os::Task<> PageCache::write_back_old() {
  for (;;) {
    co_await os_.sleep_until(os_.now() + params_.write_back_period);
    for (;;) {
      const Time now = os_.now();
      const auto next = std::find_if(dirty_.begin(), dirty_.end(), [](const Cluster& c) { return !c.disk.held(); });
      if (next == dirty_.end() || next->dirty_since + params_.dirty_age > now) break;
      Cluster& old = *next;
      ++old.users;
      co_await write_back(old);
      release(old);
    }
  }
}

os::Task<hal::Status> PageCache::sync() {
  // In the order of the disk's addresses, as far as the clusters were made in it.
  for (std::size_t i = 0; i < clusters_.size(); ++i) {  // NOLINT(modernize-loop-convert): more may come meanwhile
    Cluster& cluster = *clusters_[i];
    if (cluster.dirty_pages == 0 && !cluster.disk.held()) continue;
    ++cluster.users;
    co_await write_back(cluster);
    release(cluster);
  }
  co_return co_await io::sync(node_, volume_, lost_);
}

std::uint64_t memory(const PageCacheParams& params, std::uint64_t block_bytes) {
  return (std::max<std::uint64_t>(params.size.count / block_bytes, 4) + 1) * (block_bytes + 64);
}

void PageCache::add_statistics(StatisticSet& set, const std::string& prefix) {
  set.counter(prefix + ".hits", "reads of a stripe that found all pages", "1", hits_);
  set.counter(prefix + ".misses", "reads of a stripe that lacked pages", "1", misses_);
  set.counter(prefix + ".read_ahead", "pages read ahead", "1", ahead_);
  set.counter(prefix + ".written", "pages written to disk", "1", written_);
  set.counter(prefix + ".throttled", "stripes that a writer had to write to disk itself", "1", throttled_);
}

}  // namespace sunstar::io
