// SPDX-License-Identifier: MIT
#include "sw/file_systems/pvfs/module/cache_module.h"

namespace sunstar::file_systems::pvfs {

using os::Cost;

namespace {

std::uint32_t blocks_of(const ModuleParams& params) {
  return static_cast<std::uint32_t>(params.size.count / cache_block);
}
std::uint32_t mark(double share, std::uint32_t blocks) {
  return std::clamp(static_cast<std::uint32_t>(std::lround(share * blocks)), 1u, blocks);
}

}  // namespace

/// A run that has been asked for, and the blocks that wait for it.
class CacheModule::Arriving final : public Incoming {
 public:
  Arriving(CacheModule& module, const FileRun& run) : Incoming(module.port_, run.bytes), run(run), module_(module) {}
  const FileRun run;
  std::deque<std::pair<std::uint64_t, BlockCache::Fetch>> blocks;  ///< by number in the file, in order

 private:
  Time place(hal::Message& m, std::uint64_t offset) override {
    data_.emplace_back(offset, *m.content);
    return module_.os_.take(m);
  }
  void there(std::uint64_t offset, std::uint32_t) override {
    const auto at = std::ranges::find(data_, offset, [](const auto& one) { return one.first; });
    const content::Content& data = at->second;
    for (std::uint32_t done = 0; done < data.size();) {
      const std::uint64_t where = offset + done, number = where / cache_block;
      const auto from = static_cast<std::uint32_t>(where % cache_block);
      const std::uint32_t some = std::min(cache_block - from, data.size() - done);
      const auto block = std::ranges::lower_bound(blocks, number, {}, [](const auto& one) { return one.first; });
      const BlockCache::Fetch& fetch = block->second;
      if (module_.cache_.arrived(fetch, from, data, done, some) > 0) {
        auto& version = fetch.block->version;
        version = std::max(version, module_.versions_.at_server({run.file, number}));
      }
      done += some;
    }
    data_.erase(at);
    module_.changed_.wake_all();
    module_.released_.wake_all();
  }
  void failed(std::uint64_t offset, std::uint32_t bytes, hal::Status status) override {
    for (std::uint64_t at = offset; at < offset + bytes;) {
      const std::uint64_t number = at / cache_block;
      const auto from = static_cast<std::uint32_t>(at % cache_block);
      const auto some = static_cast<std::uint32_t>(std::min<std::uint64_t>(cache_block - from, offset + bytes - at));
      const auto block = std::ranges::lower_bound(blocks, number, {}, [](const auto& one) { return one.first; });
      if (module_.cache_.failed(block->second, {from, from + some})) {
        ++block->second.block->failures;
        block->second.block->last_failure = status;
      }
      at += some;
    }
    module_.changed_.wake_all();
    module_.released_.wake_all();
  }

  CacheModule& module_;
  std::deque<std::pair<std::uint64_t, content::Content>> data_;  // on its way into the blocks
};

CacheModule::CacheModule(System& system, const Messages& messages, Port& port, const Params& params, Versions& versions)
    : system_(system),
      messages_(messages),
      port_(port),
      os_(port.os()),
      params_(params.module),
      versions_(versions),
      cache_(os_.memory(), os_.node().allocate(std::uint64_t{blocks_of(params_)} * cache_block), blocks_of(params_),
             cache_block, params_.replacement),
      low_(mark(params_.low_water, cache_.blocks())),
      high_(std::max(mark(params_.high_water, cache_.blocks()), low_)),
      changed_(os_, "a block of the cache"),
      room_(os_, "a free block of the cache"),
      released_(os_, "a block of the cache that can be freed"),
      flush_work_(os_, "blocks to flush"),
      flushed_(os_, "the flusher"),
      harvest_work_(os_, "too few free blocks") {
  messages.invalidate.on_arrival<Cost::request_decode>(os_, [this](hal::Message& m) { invalidate(m); });
  messages.fetch.on_arrival<Cost::request_decode>(os_, [this](hal::Message& m) {
    const Fetch asked = messages::Kind<Fetch>::header(m);
    const hal::NodeId iod = m.source;
    os_.receive(m);
    os_.spawn_at(os_.handler_end(), provide(iod, asked), "cache module");
  });
  os_.spawn(flush_now_and_then(), "flusher's timer", {.daemon = true});
  os_.spawn(flusher(), "flusher", {.daemon = true});
  os_.spawn(harvester(), "harvester", {.daemon = true});
}

ByteRange CacheModule::in_file(const BlockKey& key) const {
  const std::uint64_t first = key.number * cache_block;
  return {
      0, static_cast<std::uint32_t>(std::min<std::uint64_t>(cache_block, system_.volume.file_bytes(key.file) - first))};
}

void CacheModule::charge_access() {
  os_.charge(Cost::cache_lookup);
  if (params_.overhead.count > 0) os_.compute(params_.overhead);
}

void CacheModule::unpin(Block& block) {
  block.unpin();
  if (block.pins() == 0) released_.wake_all();
}

/// The block, found or taken from the free list, and pinned; null if the list is empty.
Block* CacheModule::take(const BlockKey& key) {
  charge_access();
  Block* block = cache_.find(key);
  if (block) {
    cache_.touch(*block);
  } else {
    block = cache_.allocate(key);
    if (cache_.free_blocks() < low_) harvest_work_.wake_all();
    if (!block) return nullptr;
    os_.charge(Cost::directory_entry);
    block->version = versions_.at_server(key);
  }
  block->pin();
  return block;
}

os::Task<> CacheModule::room() {
  ++counts_.waits;
  harvest_work_.wake_all();
  while (cache_.free_blocks() == 0) co_await room_.wait();
}

os::Task<> CacheModule::read(const FileRun& run, std::byte* memory, std::vector<requests::Failed>& failed) {
  const std::uint64_t end = run.offset + run.bytes;
  const auto next = next_read_.find(run.file);
  const bool goes_on = next != next_read_.end() && next->second == run.offset;
  next_read_[run.file] = end;
  const std::uint64_t file_end = system_.volume.file_bytes(run.file);
  if (goes_on && params_.read_ahead.count > 0 && end < file_end)
    os_.spawn(read_ahead({run.file, end, std::min(params_.read_ahead.count, file_end - end)}), "read-ahead");
  for (std::uint64_t at = run.offset; at < end;)
    at = co_await read_some({run.file, at, end - at}, memory + (at - run.offset), failed);
}

/// Reads from the beginning of a run while there are blocks for it, and returns where it has stopped. It waits for free
/// blocks only while it holds none, so that no two requests wait for each other.
os::Task<std::uint64_t> CacheModule::read_some(FileRun run, std::byte* memory, std::vector<requests::Failed>& failed) {
  std::vector<Held> held;
  const std::uint64_t end = run.offset + run.bytes;
  std::uint64_t at = run.offset;
  while (at < end) {
    const BlockKey key{run.file, at / cache_block};
    Block* const block = take(key);
    if (!block) {
      if (!held.empty()) break;
      co_await room();
      continue;
    }
    const auto from = static_cast<std::uint32_t>(at % cache_block);
    const auto some = static_cast<std::uint32_t>(std::min<std::uint64_t>(cache_block - from, end - at));
    const ByteRange range{from, from + some};
    held.push_back({block, range, versions_.newest(key), block->failures});
    if (block->valid().covers(range)) {
      ++counts_.hits;
      os_.note("hit", key.file, key.number);
    } else if (const std::uint32_t missing = cache_.missing(*block, range).bytes(); missing == 0) {
      ++counts_.joined;
      os_.note("join", key.file, key.number);
    } else {
      ++counts_.misses;
      os_.note(missing < range.bytes() ? "partial hit" : "miss", key.file, key.number);
    }
    at += some;
  }
  Fetches fetches;
  messages::ReplyAction acknowledgements(port_.endpoint());
  co_await ask(held, fetches, acknowledgements);
  for (const Held& h : held) {
    bool lost = false;
    while (!h.block->valid().covers(h.range)) {
      // An invalidation may have taken bytes away.
      if (cache_.missing(*h.block, h.range).empty()) {
        co_await changed_.wait();
      } else if (h.block->failures > h.failures) {
        lost = true;
        break;
      } else {
        std::vector<Held> again{h};
        co_await ask(again, fetches, acknowledgements);
      }
    }
    const BlockKey key = h.block->key();
    if (lost) {
      failed.push_back({key.file, requests::Operation::read, key.number * cache_block + h.range.from, h.range.bytes(),
                        h.block->last_failure});
      unpin(*h.block);
      continue;
    }
    std::byte* const to = memory + (key.number * cache_block + h.range.from - run.offset);
    os_.memory().copy(to, h.block->data() + h.range.from, h.range.bytes());
    if (h.block->version < h.newest) {
      ++counts_.stale_reads;
      counts_.stale_bytes += h.range.bytes();
    }
    os_.charge_copy(h.range.bytes());
    unpin(*h.block);
    co_await os_.settle();
  }
  for (Arriving& fetch : fetches) co_await fetch.all();
  while (acknowledgements.outstanding()) co_await acknowledgements.arrival();
  co_return at;
}

/// Asks the iods for the bytes that the blocks lack, whole blocks at a time: one request for each run of missing bytes
/// to each iod that has a part of it.
os::Task<> CacheModule::ask(std::vector<Held> held, Fetches& fetches, messages::ReplyAction& acknowledgements) {
  struct Missing {
    FileRun run;
    std::deque<std::pair<std::uint64_t, BlockCache::Fetch>> blocks;
  };
  std::vector<Missing> all;
  for (const Held& h : held) {
    if (h.block->valid().covers(h.range)) continue;
    const BlockKey key = h.block->key();
    const ByteRanges bytes = cache_.missing(*h.block, in_file(key));
    if (bytes.empty()) continue;
    const BlockCache::Fetch fetch = cache_.expect(*h.block, bytes);
    for (const ByteRange range : bytes) {
      const std::uint64_t offset = key.number * cache_block + range.from;
      if (all.empty() || all.back().run.offset + all.back().run.bytes != offset)
        all.push_back({{key.file, offset, 0}, {}});
      all.back().run.bytes += range.bytes();
      if (all.back().blocks.empty() || all.back().blocks.back().first != key.number)
        all.back().blocks.emplace_back(key.number, fetch);
    }
  }
  for (Missing& one : all) {
    Arriving& arriving = fetches.emplace_back(*this, one.run);
    arriving.blocks = std::move(one.blocks);
    arriving.watch(system_, one.run);
    co_await ask_iods(system_, messages_, port_, one.run, arriving.number(), Request::keeps, acknowledgements);
  }
}

os::Task<> CacheModule::read_ahead(FileRun run) {
  std::vector<Held> held;
  const std::uint64_t end = run.offset + run.bytes;
  for (std::uint64_t b = run.offset / cache_block; b * cache_block < end && cache_.free_blocks() > low_; ++b) {
    Block* const block = take({run.file, b});
    if (!block) break;
    held.push_back({block, in_file(block->key()), 0, 0});
    if (cache_.missing(*block, held.back().range).empty()) continue;
    ++read_ahead_;
    os_.note("prefetch", run.file, b);
  }
  Fetches fetches;
  messages::ReplyAction acknowledgements(port_.endpoint());
  co_await ask(held, fetches, acknowledgements);
  for (const Held& h : held) unpin(*h.block);
  for (Arriving& fetch : fetches) co_await fetch.all();
  while (acknowledgements.outstanding()) co_await acknowledgements.arrival();
}

os::Task<hal::Status> CacheModule::write(const FileRun& run, std::byte* memory, bool coherent) {
  coherent |= params_.coherent;
  const std::uint64_t end = run.offset + run.bytes;
  for (std::uint64_t at = run.offset; at < end;) {
    const BlockKey key{run.file, at / cache_block};
    Block* const block = take(key);
    if (!block) {
      co_await room();
      continue;
    }
    const auto from = static_cast<std::uint32_t>(at % cache_block);
    const auto some = static_cast<std::uint32_t>(std::min<std::uint64_t>(cache_block - from, end - at));
    os_.memory().copy(block->data() + from, memory + (at - run.offset), some);
    if (coherent) {
      block->add_valid({from, from + some});
    } else {
      block->version = versions_.written(key, block->version, block->dirty().empty());
      cache_.mark_dirty(*block, {from, from + some});
    }
    ++counts_.written;
    os_.note("write", key.file, key.number);
    os_.charge_copy(some);
    unpin(*block);
    changed_.wake_all();
    co_await os_.settle();
    at += some;
  }
  if (!coherent) co_return hal::Status::ok;
  const hal::Status status =
      co_await write_through(system_, messages_, port_, run, memory, Request::coherent | Request::keeps);
  if (status != hal::Status::ok) {  // the node does not know what the iods have now
    for (std::uint64_t b = run.offset / cache_block; b * cache_block < end; ++b) cache_.invalidate({run.file, b});
    changed_.wake_all();
    released_.wake_all();
    room_.wake_all();
    co_return status;
  }
  for (std::uint64_t b = run.offset / cache_block; b * cache_block < end; ++b)
    if (Block* const block = cache_.find({run.file, b}))
      block->version = std::max(block->version, versions_.at_server({run.file, b}));
  co_return hal::Status::ok;
}

// --- the flusher ---

void CacheModule::begin_flush() {
  flush_wanted_ = true;
  flush_work_.wake_all();
}

os::Task<> CacheModule::flush_now_and_then() {
  for (;;) {
    co_await os_.sleep_until(os_.now() + params_.flush_period);
    if (cache_.dirty_blocks() > 0) begin_flush();
  }
}

os::Task<> CacheModule::flusher() {
  const auto stripe = system_.volume.block_bytes() / cache_block;
  const auto most = static_cast<std::uint32_t>(std::min<std::size_t>(system_.nodes.io.size(), most_flushes));
  for (;;) {
    while (!flush_wanted_) co_await flush_work_.wait();
    flush_wanted_ = false;
    for (;;) {
      while (flushing_ >= most) co_await flushed_.wait();
      const BlockCache::Batch batch = cache_.oldest_dirty(stripe, stripe);
      os_.charge(Cost::directory_entry, batch.steps);
      if (batch.blocks.empty()) break;
      ++flushing_;
      std::vector<Flushing> blocks;
      for (Block* const block : batch.blocks) {
        os_.note("write back", block->key().file, block->key().number);
        blocks.push_back({block, cache_.start_flush(*block)});
      }
      os_.spawn(flush_batch(std::move(blocks)), "flusher");
      co_await os_.settle();
    }
  }
}

std::byte* CacheModule::buffer() {
  if (buffers_.empty()) return os_.node().allocate(system_.volume.block_bytes() + sizeof(Fetched));
  std::byte* const last = buffers_.back();
  buffers_.pop_back();
  return last;
}

/// Sends changed blocks that follow one another in a stripe to their iod: a message for each run of changed bytes.
os::Task<> CacheModule::flush_batch(std::vector<Flushing> blocks) {
  std::byte* const buffer = this->buffer();
  struct Piece {
    std::uint64_t offset;
    std::uint32_t at, bytes;  // in the buffer
  };
  std::vector<Piece> runs;
  std::uint32_t filled = 0;
  for (const auto& [block, bytes] : blocks)
    for (const ByteRange range : bytes) {
      const std::uint64_t offset = block->key().number * cache_block + range.from;
      os_.memory().copy(buffer + filled, block->data() + range.from, range.bytes());
      if (runs.empty() || runs.back().offset + runs.back().bytes != offset) runs.push_back({offset, filled, 0});
      runs.back().bytes += range.bytes();
      filled += range.bytes();
    }
  const std::uint32_t file = blocks.front().block->key().file;
  const std::uint64_t stripe = runs.front().offset / system_.volume.block_bytes();
  const hal::NodeId iod = system_.nodes.io[system_.volume.server_of(stripe)].endpoint.id();
  messages::ReplyAction replies(port_.endpoint());
  for (const Piece& run : runs) {
    const Flush flush{.file = file, .offset = run.offset, .reply = replies.expect(iod)};
    co_await os_.send(messages_.flush.message(iod, flush, buffer + run.at, run.bytes));
  }
  while (replies.outstanding()) co_await replies.arrival();
  if (const hal::Status status = replies.take_status(); status != hal::Status::ok) {
    flush_error_ = status;
    if (status == hal::Status::no_answer && port_.endpoint().peers().was_lost(iod))  // otherwise the iod has noted it
      for (const Piece& run : runs)
        system_.record.failed({file, requests::Operation::write, run.offset, run.bytes, status});
  }
  for (const auto& [block, bytes] : blocks) {
    versions_.flushed(block->key());
    block->sent();
  }
  flushed_blocks_ += blocks.size();
  buffers_.push_back(buffer);
  --flushing_;
  flushed_.wake_all();
  released_.wake_all();
}

os::Task<hal::Status> CacheModule::flush() {
  while (cache_.dirty_blocks() > 0 || flushing_ > 0) {
    if (cache_.dirty_blocks() > 0) begin_flush();
    co_await flushed_.wait();
  }
  co_return std::exchange(flush_error_, hal::Status::ok);
}

// --- the harvester ---

os::Task<> CacheModule::harvester() {
  for (;;) {
    while (cache_.free_blocks() >= low_) co_await harvest_work_.wait();
    while (cache_.free_blocks() < high_) {
      const BlockCache::Harvest harvest = cache_.harvest();
      os_.charge(Cost::directory_entry, 1 + harvest.steps);
      harvest_steps_ += harvest.steps;
      if (harvest.outcome == BlockCache::Harvest::Outcome::freed) {
        ++harvested_;
        os_.note("evict", harvest.key.file, harvest.key.number);
        room_.wake_all();
        continue;
      }
      if (harvest.outcome == BlockCache::Harvest::Outcome::dirty) begin_flush();
      co_await released_.wait();
    }
    co_await os_.settle();
  }
}

// --- requests of iods ---

void CacheModule::invalidate(hal::Message& m) {
  const Invalidate asked = messages::Kind<Invalidate>::header(m);
  const hal::Message reply = port_.endpoint().reply(m.source, asked.reply);
  os_.receive(m);
  for (std::uint64_t b = asked.offset / cache_block; b * cache_block < asked.offset + asked.bytes; ++b) {
    os_.charge_handler({{Cost::cache_lookup}});
    if (!cache_.invalidate({asked.file, b})) continue;
    ++counts_.invalidated;
    os_.note("invalidate", asked.file, b);
  }
  os_.after(os_.handler_end(), [this] {
    changed_.wake_all();
    released_.wake_all();
    room_.wake_all();
  });
  os_.send_at(os_.handler_end(), reply);
}

os::Task<> CacheModule::provide(hal::NodeId iod, Fetch asked) {
  charge_access();
  const BlockKey key{asked.file, asked.block};
  Block* const block = cache_.find(key);
  const ByteRange whole = in_file(key);
  std::byte* const buffer = this->buffer();
  Fetched answer;
  if (block && block->valid().covers(whole)) {
    answer.bytes = whole.bytes();
    os_.memory().copy(buffer + sizeof answer, block->data(), whole.bytes());
    os_.charge_copy(whole.bytes());
    ++provided_;
    os_.note("provide", asked.file, asked.block);
  }
  os_.memory().put(buffer, &answer, sizeof answer);
  const auto bytes = static_cast<std::uint32_t>(sizeof answer) + answer.bytes;
  co_await os_.send(port_.endpoint().reply(iod, asked.reply, buffer, bytes));
  buffers_.push_back(buffer);
}

void CacheModule::count_cache(Losses& losses) const {
  cache_.for_each([&](const Block& block) { losses.add_cached(block, cache_block); });
}

void CacheModule::add_statistics(StatisticSet& set) {
  const std::string prefix = os_.node().name() + ".cache_module";
  set.counter(prefix + ".hits", "blocks that a read found whole", "1", counts_.hits);
  set.counter(prefix + ".joined", "blocks that a read found on their way", "1", counts_.joined);
  set.counter(prefix + ".misses", "blocks that a read had to ask an iod for, whole or in part", "1", counts_.misses);
  set.counter(prefix + ".written", "blocks that writes put into the cache", "1", counts_.written);
  set.counter(prefix + ".invalidated", "blocks dropped because another node had written them", "1",
              counts_.invalidated);
  set.counter(prefix + ".flushed", "changed blocks sent to iods", "1", flushed_blocks_);
  set.counter(prefix + ".harvested", "blocks freed by the harvester", "1", harvested_);
  set.counter(prefix + ".harvest_steps", "blocks that it looked at for that", "1", harvest_steps_);
  set.counter(prefix + ".read_ahead", "blocks asked for ahead", "1", read_ahead_);
  set.counter(prefix + ".provided", "blocks given to iods for other nodes", "1", provided_);
}

}  // namespace sunstar::file_systems::pvfs
