// SPDX-License-Identifier: MIT
#include "sw/file_systems/galley/server/cache_manager.h"

namespace sunstar::file_systems::galley {

using os::Cost;

void Buffer::finished(hal::Status status) { cache_->transferred(*this, status); }

CacheManager::CacheManager(io::IoNode& node, std::uint32_t buffers, std::uint32_t block_bytes,
                           std::uint32_t sectors_per_block, const std::string& replacement)
    : node_(node),
      os_(node.endpoint.os),
      block_bytes_(block_bytes),
      sectors_per_block_(sectors_per_block),
      directory_(replacement, buffers),
      turn_(searches_.end()),
      work_(os_, "a list of wished blocks"),
      room_(os_, "a free buffer"),
      flushed_(os_, "the end of a flush"),
      errors_(node.store.units(), hal::Status::ok) {
  std::byte* memory = os_.node().allocate(std::uint64_t{buffers} * block_bytes);
  for (std::uint32_t b = 0; b < buffers; ++b) {
    Buffer& buffer = buffers_.emplace_back();
    buffer.cache_ = this;
    buffer.data = {memory + std::uint64_t{b} * block_bytes};
    directory_.add(buffer);
  }
  os_.spawn(thread(), "cache manager", {.daemon = true});
}

void CacheManager::want(const std::vector<Wish>& wishes, Delivery& delivery) {
  if (delivery.listed_ || delivery.looked_up_ == wishes.size()) return;
  delivery.listed_ = true;
  delivery.searching_ = !stuck_;
  searches_.push_back({&wishes, &delivery, os_.request()});
  if (turn_ == searches_.end()) turn_ = std::prev(searches_.end());
  work_.wake_all();
}

os::Task<Buffer*> CacheManager::get(DiskBlock block, bool whole) {
  const std::vector<Wish> wishes{{block, whole}};
  Delivery delivery(os_);
  want(wishes, delivery);
  const Delivery::Arrived arrived = co_await delivery.next();
  if (arrived.buffer) os_.memory().bytes(arrived.buffer->bytes(), block_bytes_);
  co_return arrived.buffer;
}

// The lists take turns, a block at a time, so that no thread waits for another's whole list.
os::Task<> CacheManager::thread() {
  for (;;) {
    while (searches_.empty()) co_await work_.wait();
    if (turn_ == searches_.end()) turn_ = searches_.begin();
    Search& search = *turn_;
    os_.serve(search.request);
    os_.charge(Cost::cache_lookup);
    if (!look_up(search)) {
      ++waits_;
      stuck_ = true;
      for (const Search& s : searches_) {
        s.delivery->searching_ = false;
        s.delivery->arrival_.wake_all();
      }
      co_await room_.wait();
      stuck_ = false;
      for (const Search& s : searches_) s.delivery->searching_ = true;
      continue;
    }
    if (search.delivery->looked_up_ == search.wishes->size()) {
      search.delivery->listed_ = search.delivery->searching_ = false;
      search.delivery->arrival_.wake_all();
      turn_ = searches_.erase(turn_);
    } else {
      ++turn_;
    }
  }
}

// Returns false if there is no buffer for the block.
bool CacheManager::look_up(Search& search) {
  const auto item = static_cast<std::uint32_t>(search.delivery->looked_up_);
  const Wish& wish = (*search.wishes)[item];
  Buffer* buffer = directory_.find(key(wish.block)).entry;
  if (buffer) {
    const bool hit = serves(*buffer, wish.whole);
    ++(hit ? hits_ : joined_);
    os_.note(hit ? "hit" : "join", wish.block.device, wish.block.block);
    directory_.touch(*buffer);
  } else {
    if (const auto lost = old_on_disk_.status(key(wish.block)); lost != hal::Status::ok && !wish.whole) [[unlikely]] {
      ++search.delivery->looked_up_;
      search.delivery->deliver({nullptr, item, lost});
      return true;
    }
    buffer = directory_.candidate(key(wish.block));
    if (!buffer) return false;
    ++misses_;
    os_.note("miss", wish.block.device, wish.block.block);
    os_.charge(Cost::cache_allocate);
    take_over(*buffer, wish);
  }
  ++search.delivery->looked_up_;
  if (serves(*buffer, wish.whole)) {
    ++buffer->references_;
    search.delivery->deliver({buffer, item});
  } else {
    buffer->waiters_.push_back({search.delivery, item, wish.whole});
    search.delivery->arrival_.wake_all();
  }
  return true;
}

void CacheManager::take_over(Buffer& buffer, const Wish& wish) {
  const bool fresh = fresh_.erase(wish.block) > 0;
  const DiskBlock before = buffer.holds();
  if (buffer.holds_block()) os_.note("evict", before.device, before.block);
  directory_.assign(buffer, key(wish.block));
  buffer.ready_ = false;
  buffer.filled_ = !wish.whole;
  buffer.fetch_ = !wish.whole && !fresh;
  buffer.new_ = fresh;
  const bool write_out = buffer.dirty_;
  // A block that was not read must be written even if no thread writes all of it.
  buffer.dirty_ = !buffer.fetch_;
  if (write_out) {
    ++written_out_;
    write_back(buffer, before);
  } else if (buffer.fetch_) {
    start(buffer, wish.block, false);
  } else {
    ready(buffer);
  }
  if (fresh && !wish.whole) os_.charge(Cost::clear_per_byte, block_bytes_);
}

void CacheManager::write_back(Buffer& buffer, DiskBlock block) {
  os_.note("write back", block.device, block.block);
  start(buffer, block, true);
}

void CacheManager::start(Buffer& buffer, DiskBlock block, bool write) {
  buffer.write = write;
  buffer.written_ = block;
  buffer.unit = block.device;
  buffer.sector = std::uint64_t{block.block} * sectors_per_block_;
  buffer.sectors = sectors_per_block_;
  buffer.busy_ = true;
  node_.store.submit(buffer);
}

// In the interrupt handler of the disk.
void CacheManager::transferred(Buffer& buffer, hal::Status status) {
  buffer.busy_ = false;
  if (status != hal::Status::ok) errors_[buffer.unit] = status;
  if (buffer.write) {
    if (status == hal::Status::ok) old_on_disk_.written(key(buffer.written_));
    else lose(buffer.written_, status);
  } else {
    if (status == hal::Status::ok) status = old_on_disk_.status(buffer.key());
    if (status != hal::Status::ok) return fail(buffer, status);
  }
  if (buffer.write) flushed_.wake_all();
  if (buffer.ready_) {  // it was flushed
    room();
  } else if (buffer.write && buffer.fetch_) {
    start(buffer, buffer.holds(), false);
  } else {
    ready(buffer);
  }
}

void CacheManager::lose(DiskBlock block, hal::Status status) {
  const os::NotOnTheMachine mark;
  os_.note("lose", block.device, block.block);
  lost_.push_back({block, status});
  old_on_disk_.lose(key(block), status);
}

// A thread that will write all of the block can still have the buffer.
void CacheManager::fail(Buffer& buffer, hal::Status status) {
  const os::NotOnTheMachine mark;
  std::erase_if(buffer.waiters_, [&](const Buffer::Waiter& waiter) {
    if (waiter.whole) return false;
    waiter.to->deliver({nullptr, waiter.item, status});
    return true;
  });
  buffer.fetch_ = false;
  if (buffer.waiters_.empty()) {
    directory_.drop(buffer, io::BlockDirectory<Buffer>::Place::front);
    room();
  } else {
    buffer.dirty_ = true;
    buffer.filled_ = false;
    ready(buffer);
  }
}

void CacheManager::ready(Buffer& buffer) {
  // The old block has left; a block that is not read begins as zeros.
  if (!buffer.fetch_) os_.clear(buffer.bytes(), block_bytes_);
  buffer.fetch_ = false;
  buffer.ready_ = true;
  deliver(buffer);
  if (buffer.references_ == 0) room();
}

void CacheManager::deliver(Buffer& buffer) {
  std::erase_if(buffer.waiters_, [&](const Buffer::Waiter& waiter) {
    if (!serves(buffer, waiter.whole)) return false;
    ++buffer.references_;
    waiter.to->deliver({&buffer, waiter.item});
    return true;
  });
}

void CacheManager::changed(Buffer& buffer) {
  buffer.dirty_ = true;
  if (buffer.filled_) return;
  buffer.filled_ = true;
  deliver(buffer);
}

void CacheManager::give_back(Buffer& buffer) {
  if (--buffer.references_ == 0) room();
}

void CacheManager::give_up(Buffer& buffer) {
  if (buffer.filled_) {
    buffer.dirty_ = true;
    give_back(buffer);
  } else if (--buffer.references_ > 0) {
    return;  // other threads write all of it
  } else if (buffer.new_) {
    os_.clear(buffer.bytes(), block_bytes_);
    buffer.filled_ = true;
    deliver(buffer);
    if (buffer.references_ == 0) room();
  } else {
    buffer.ready_ = buffer.dirty_ = false;
    if (buffer.waiters_.empty()) {
      directory_.drop(buffer, io::BlockDirectory<Buffer>::Place::front);
      room();
      return;
    }
    buffer.filled_ = buffer.fetch_ = true;
    start(buffer, buffer.holds(), false);
  }
}

void CacheManager::room() {
  if (stuck_) room_.wake_all();
}

void CacheManager::forget(DiskBlock block) {
  fresh_.erase(block);
  Buffer* const found = directory_.find(key(block)).entry;
  if (!found) return;
  Buffer& buffer = *found;
  buffer.dirty_ = false;
  if (buffer.busy_ || buffer.references_ > 0) return;
  os_.note("forget", block.device, block.block);
  buffer.ready_ = false;
  directory_.drop(buffer, io::BlockDirectory<Buffer>::Place::front);
}

// Does not wait for another block that takes over the buffer meanwhile.
os::Task<> CacheManager::written(const Buffer& buffer) {
  while (buffer.busy_ && buffer.write) co_await flushed_.wait();
}

os::Task<hal::Status> CacheManager::flush() {
  // Blocks that nobody has written yet must not show what they held before.
  std::vector<DiskBlock> fresh(fresh_.begin(), fresh_.end());
  std::ranges::sort(fresh);  // hashes would decide in which order the blocks go to the disks
  for (const DiskBlock block : fresh) {
    if (!fresh_.contains(block)) continue;
    Buffer* const buffer = co_await get(block);
    if (buffer) give_back(*buffer);
  }
  // The bytes of a block that a thread is to write whole may never come; until they have, the disk has the valid bytes.
  std::vector<Buffer*> all;
  for (Buffer& buffer : buffers_)
    if (buffer.ready_ && buffer.dirty_ && (buffer.filled_ || buffer.new_)) {
      // A flush that is under way may write older data; this one writes them once more.
      co_await written(buffer);
      if (!buffer.ready_ || !buffer.dirty_) continue;
      buffer.dirty_ = false;
      write_back(buffer, buffer.holds());
      all.push_back(&buffer);
    }
  for (Buffer* buffer : all) co_await written(*buffer);
  const hal::Status status = co_await node_.store.synchronise();
  const std::vector<io::LostWrite> writes = co_await node_.store.take_lost_writes();
  for (const io::LostWrite& write : writes)
    for (std::uint64_t b = write.sector / sectors_per_block_; b * sectors_per_block_ < write.sector + write.sectors;
         ++b)
      lost_.push_back({{write.unit, static_cast<std::uint32_t>(b)}, hal::Status::not_ready});
  if (!lost_.empty()) co_return lost_.back().status;
  co_return status;
}

void CacheManager::add_statistics(StatisticSet& set, const std::string& prefix) {
  set.counter(prefix + ".hits", "wished blocks that were in the cache", "1", hits_);
  set.counter(prefix + ".misses", "wished blocks that were not in the cache", "1", misses_);
  set.counter(prefix + ".joined", "wished blocks that were on their way from the disk or a writer", "1", joined_);
  set.counter(prefix + ".written_out", "changed blocks that were written to make room", "1", written_out_);
  set.counter(prefix + ".waits", "how often all buffers were in use", "1", waits_);
}

}  // namespace sunstar::file_systems::galley
