// SPDX-License-Identifier: MIT
#include "sw/io/cached/cache.h"

#include "sw/io/sync.h"

namespace sunstar::io::cached {

namespace {

using Bits = Cache::Bits;

/// Whether visit(word, mask) is true for all words of the bits [from, from + count); stops at the first false.
template <class Visit>
bool for_all_words(const Bits& words, std::uint32_t from, std::uint32_t count, Visit visit) {
  for (const std::uint32_t end = from + count; from < end;) {
    const std::uint32_t bit = from % 64, n = std::min(64 - bit, end - from);
    if (!visit(words[from / 64], ~std::uint64_t{0} >> (64 - n) << bit)) return false;
    from += n;
  }
  return true;
}

/// Calls visit(from, count) for the runs of clear bits among the first `all`.
template <class Visit>
void for_each_clear(const Bits& words, std::uint32_t all, Visit visit) {
  const auto end_of_run = [&](std::uint32_t at, bool set) {  // the first bit from `at` on that differs from `set`
    while (at < all) {
      const std::uint64_t others = (set ? ~words[at / 64] : words[at / 64]) >> at % 64;
      if (others != 0) return std::min(all, at + static_cast<std::uint32_t>(std::countr_zero(others)));
      at += 64 - at % 64;
    }
    return all;
  };
  for (std::uint32_t at = end_of_run(0, true); at < all;) {
    const std::uint32_t end = end_of_run(at, false);
    visit(at, end - at);
    at = end_of_run(end, true);
  }
}

}  // namespace

Cache::Buffer::Buffer(Cache& cache, os::Os& os, std::byte* memory)
    : waiters(os, "a block on its way from or to disk"), cache_(cache), memory_(memory) {}

void Cache::Buffer::finished(hal::Status status) {
  const os::Counted<os::Cost::disk_request> mark;
  on_disk_queue = false;
  --cache_.coming_;
  if (status != hal::Status::ok) [[unlikely]] {
    if (write) cache_.lose(*this, status);
    else read_error = status;
  } else if (!write) {
    // Bytes written meanwhile stay. Usually there are none, and swapping the buffers is enough.
    if (!valid) std::swap(memory_, fetched_);
    else
      for_each_clear(valid, cache_.volume_.block_bytes(), [this](std::uint32_t from, std::uint32_t count) {
        cache_.os_.memory().copy(memory_ + from, fetched_ + from, count);
      });
    all_valid = true;
  }
  cache_.changed(*this);
  waiters.wake_all();
  if (cache_.coming_ == 0 && pins == 0) cache_.wake_to_flush();
}

Cache::Cache(IoNode& node, const Volume& volume, std::string_view replacement, std::uint64_t most)
    : volume_(volume),
      node_(node),
      os_(node_.endpoint.os),
      most_(most),
      distance_((volume_.block_bytes() + 63) / 64 * 64),
      memory_(os_.node().allocate(most_ * distance_)),
      directory_(replacement, static_cast<std::uint32_t>(most_)),
      room_(os_, "a cache buffer"),
      unlocked_(os_, "a block that a collective has") {}

void Cache::add_buffer() {
  const os::NotOnTheMachine mark;
  buffers_.push_back(std::make_unique<Buffer>(*this, os_, memory_ + buffers_.size() * distance_));
  directory_.add(*buffers_.back());
  changed(*buffers_.back());
}

// Called after every change of a buffer's pins, of its dirty bytes, or of its place on the disk's queue.
void Cache::changed(Buffer& b) {
  if (b.idle() == b.counted_) return;
  b.counted_ = !b.counted_;
  b.counted_ ? ++idle_ : --idle_;
  if (b.counted_) directory_.became_replaceable(b);
  wake_for_buffers();
}

// Wakes a thread for each buffer. A thread that finds its block in the cache after all needs no buffer: when it has
// looked, the buffer is the next thread's.
void Cache::wake_for_buffers() {
  for (; called_ < idle_ && !room_.empty(); ++called_) room_.wake_one();
}

// No buffer becomes free by itself: one thread is woken to write a block.
void Cache::wake_to_flush() {
  if (idle_ > 0 || coming_ > 0 || called_ > 0 || room_.empty()) return;
  ++called_;
  room_.wake_one();
}

std::byte* Cache::data(Buffer& b) const { return b.memory_; }

void Cache::add_statistics(StatisticSet& set) {
  const std::string name = os_.node().name() + ".cache.";
  set.counter(name + "hits", "requests that found their block in the cache, or on its way there", "1", hits);
  set.counter(name + "misses", "requests that took a buffer for their block", "1", misses);
  set.counter(name + "cleared", "buffers that were cleared before the first write of a part of their block", "1",
              cleared);
  set.counter(name + "written_back", "blocks that were written to disk because a collective wanted them", "1",
              written_back);
  set.counter(name + "forgotten", "blocks that the cache gave up because a collective wanted them", "1", forgotten);
  set.counter(name + "evictions", "buffers whose block made room for another", "1", evictions);
}

Cache::Buffer* Cache::find(std::uint32_t file, std::uint64_t block) {
  const auto charged = os_.charged<os::Cost::cache_lookup>();
  return directory_.find({file, block}).entry;
}

Cache::Buffer* Cache::try_allocate(std::uint32_t file, std::uint64_t block) {
  const os::Counted<os::Cost::cache_allocate> mark;
  if (buffers_.size() < most_) add_buffer();
  Buffer* const b = idle_ > 0 ? directory_.ready_candidate({file, block}) : nullptr;
  if (!b) return nullptr;
  os_.charge(os::Cost::cache_allocate);
  if (b->holds_block()) {
    ++evictions;
    os_.note("evict", b->key().file, b->key().number);
  }
  directory_.assign(*b, {file, block});
  b->all_valid = false;
  b->blank = true;
  b->valid.reset();
  return b;
}

Cache::Buffer* Cache::try_obtain(std::uint32_t file, std::uint64_t block) {
  const os::Counted<os::Cost::cache_lookup> mark;
  if (locked(file, block)) {
    wake_for_buffers();
    return nullptr;
  }
  Buffer* b = find(file, block);
  if (b) {
    ++hits;
    os_.note("hit", file, block);
    directory_.touch(*b);
  } else {
    b = try_allocate(file, block);
    if (b) {
      ++misses;
      os_.note("miss", file, block);
    }
  }
  if (b) {
    ++b->pins;
    changed(*b);
  }
  wake_for_buffers();
  return b;
}

// Buffers on their way to or from disk become free by themselves. Only if there are none must a partly written block be
// flushed.
os::Task<> Cache::room(std::uint32_t file, std::uint64_t block) {
  if (locked(file, block)) {
    co_await unlocked_.wait();
    co_return;
  }
  Buffer* const partial = coming_ > 0 ? nullptr : directory_.first([](const Buffer& x) { return x.pins == 0; });
  if (partial) {
    co_await flush_partial(*partial);
  } else {
    co_await room_.wait();
    --called_;
  }
}

void Cache::unpin(Buffer& b) {
  const os::CountedUnlessInside<os::Cost::cache_lookup> mark;
  --b.pins;
  changed(b);
  if (b.pins > 0) return;
  b.waiters.wake_all();
  wake_to_flush();
}

void Cache::submit(Buffer& b) {
  const os::Counted<os::Cost::disk_request> mark;
  volume_.aim(b, b.key().file, b.key().number);
  b.on_disk_queue = true;
  ++coming_;
  changed(b);
  node_.store.submit(b);
}

void Cache::start_read(Buffer& b) {
  if (b.all_valid || b.on_disk_queue) return;
  if (!b.fetched_) b.fetched_ = os_.node().allocate(volume_.block_bytes());
  b.blank = false;
  b.read_error = hal::Status::ok;
  b.write = false;
  b.data = {b.fetched_};
  submit(b);
}

bool Cache::prefetch(std::uint32_t file, std::uint64_t block) {
  const os::Counted<os::Cost::cache_lookup> mark;
  if (block >= volume_.blocks(file) || locked(file, block)) return true;
  if (find(file, block)) return true;
  Buffer* const b = try_allocate(file, block);
  if (!b) return false;
  os_.note("prefetch", file, block);
  start_read(*b);
  return true;
}

bool Cache::fetched(Buffer& b, std::uint32_t offset, std::uint32_t bytes) {
  const os::CountedUnlessInside<os::Cost::cache_lookup> mark;
  if (b.all_valid) return true;
  if (b.valid && for_all_words(b.valid, offset, bytes,
                               [](std::uint64_t word, std::uint64_t mask) { return (word & mask) == mask; }))
    return true;
  start_read(b);
  return false;
}

std::uint32_t Cache::set(Bits& bits, std::uint32_t from, std::uint32_t count) const {
  if (!bits) bits = std::make_unique<std::uint64_t[]>((volume_.block_bytes() + 63) / 64);
  std::uint32_t fresh = 0;
  for_all_words(bits, from, count, [&](std::uint64_t& word, std::uint64_t mask) {
    fresh += static_cast<std::uint32_t>(std::popcount(mask & ~word));
    word |= mask;
    return true;
  });
  return fresh;
}

void Cache::start_write(Buffer& b) {
  const os::Counted<os::Cost::disk_request> mark;
  os_.note("write back", b.key().file, b.key().number);
  b.write = true;
  b.data = {b.memory_};
  b.dirty_bytes = 0;
  b.dirty.reset();
  submit(b);
}

void Cache::prepare_write(Buffer& b, std::uint32_t bytes) {
  if (b.blank && bytes < volume_.bytes_in_block(b.key().file, b.key().number)) {
    const auto charged = os_.charged<os::Cost::clear_per_byte>(volume_.block_bytes());
    os_.clear(b.memory_, volume_.block_bytes());
    ++cleared;
  }
  b.blank = false;
}

void Cache::written(Buffer& b, std::uint32_t offset, std::uint32_t bytes) {
  const std::uint32_t all = volume_.bytes_in_block(b.key().file, b.key().number);
  if (bytes == all) b.dirty_bytes = all;
  if (b.dirty_bytes < all) b.dirty_bytes += set(b.dirty, offset, bytes);
  changed(b);
  if (!b.all_valid && (b.dirty_bytes < all || b.on_disk_queue)) set(b.valid, offset, bytes);
  if (b.dirty_bytes < all) return;
  b.all_valid = true;
  if (!b.on_disk_queue) start_write(b);
}

os::Task<> Cache::flush_partial(Buffer& b) {
  ++b.pins;
  changed(b);
  while (b.on_disk_queue) co_await b.waiters.wait();
  if (b.dirty_bytes > 0) {
    while (!fetched(b, 0, volume_.bytes_in_block(b.key().file, b.key().number))) {
      co_await b.waiters.wait();
      if (b.read_error == hal::Status::ok) continue;
      lose(b, b.read_error);  // the written bytes of the block cannot be joined with the rest
      break;
    }
    while (b.on_disk_queue) co_await b.waiters.wait();
    if (b.dirty_bytes > 0) start_write(b);
    while (b.on_disk_queue) co_await b.waiters.wait();
  }
  unpin(b);
}

bool Cache::try_lock(std::uint32_t file, std::uint64_t block) {
  const os::Counted<os::Cost::cache_lookup> mark;
  return !locked(file, block) && !find(file, block) && locked_.insert({file, block}).second;
}

os::Task<> Cache::lock(std::uint32_t file, std::uint64_t block, bool forget) {
  bool looked_up = true;  // by try_lock()
  for (; locked(file, block); looked_up = false) co_await unlocked_.wait();
  locked_.insert({file, block});
  if (!looked_up && !find(file, block)) co_return;
  // Its current users finish, and new users cannot get it. Meanwhile its buffer may be given to another block.
  while (Buffer* const found = directory_.find({file, block}).entry) {
    Buffer& b = *found;
    if (b.on_disk_queue || b.pins > 0) {
      co_await b.waiters.wait();
    } else if (b.dirty_bytes > 0 && !forget) {
      ++written_back;
      co_await flush_partial(b);
    } else {
      ++forgotten;
      os_.note("forget", file, block);
      b.dirty_bytes = 0;
      b.dirty.reset();
      changed(b);
      directory_.forget(b);
      co_return;
    }
  }
}

void Cache::unlock(std::uint32_t file, std::uint64_t block) {
  locked_.erase({file, block});
  unlocked_.wake_all();
}

// The bytes stay in the buffer, as of a clean block; on disk they may be missing.
void Cache::lose(Buffer& b, hal::Status status) {
  const os::NotOnTheMachine mark;
  const std::uint32_t bytes = volume_.bytes_in_block(b.key().file, b.key().number);
  lost_.push_back({b.key().file, requests::Operation::write, b.key().number * volume_.block_bytes(), bytes, status});
  b.dirty_bytes = 0;
  b.dirty.reset();
  changed(b);
}

os::Task<hal::Status> Cache::sync() {
  for (std::size_t b = 0; b < buffers_.size(); ++b)  // NOLINT(modernize-loop-convert): others are added meanwhile
    if (buffers_[b]->dirty_bytes > 0) co_await flush_partial(*buffers_[b]);
  co_return co_await io::sync(node_, volume_, lost_);
}

}  // namespace sunstar::io::cached
