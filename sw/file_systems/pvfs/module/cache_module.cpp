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
  Arriving(CacheModule& module, const FileRun& run) : Incoming(module.port_), run(run), module_(module) {}
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

void CacheModule::unpin(Block& block) {
  block.unpin();
  if (block.pins() == 0) released_.wake_all();
}

/// The block, found or taken from the free list, and pinned; null if the list is empty.
Block* CacheModule::take(const BlockKey& key) {
  os_.charge(Cost::cache_lookup);
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

void CacheModule::goes_on(const FileRun& run) {
  const std::uint64_t end = run.offset + run.bytes, file_end = system_.volume.file_bytes(run.file);
  const auto next = next_read_.find(run.file);
  const bool goes_on = next != next_read_.end() && next->second == run.offset;
  next_read_[run.file] = end;
  if (goes_on && params_.read_ahead.count > 0 && end < file_end)
    os_.spawn(read_ahead({run.file, end, std::min(params_.read_ahead.count, file_end - end)}), "read-ahead");
}

os::Task<> CacheModule::read_ahead(FileRun run) {
  std::list<Socket> all = sockets(run, nullptr, nullptr);
  for (Socket& socket : all) {
    for (; !socket.complete() && cache_.free_blocks() > low_; socket.pass()) {
      Block* const block = take(socket.block());
      if (!block) break;
      socket.held_.push_back({block, in_file(block->key()), 0, 0});
      if (cache_.missing(*block, in_file(block->key())).empty()) continue;
      ++read_ahead_;
      os_.note("prefetch", run.file, block->key().number);
    }
    co_await socket.fetch(socket.held_);
  }
  for (Socket& socket : all)
    for (const Held& held : socket.held_) unpin(*held.block);
  for (Socket& socket : all) co_await socket.fetched();
}

os::Task<hal::Status> CacheModule::write_on(const FileRun& run, std::byte* memory) {
  const std::uint64_t end = run.offset + run.bytes;
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

// --- sockets ---

std::list<CacheModule::Socket> CacheModule::sockets(const FileRun& run, std::byte* memory,
                                                    std::vector<requests::Failed>* failed) {
  std::list<Socket> all;
  for (const std::uint32_t node : data_nodes_of(system_.volume, run))
    all.emplace_back(*this, node, run, memory, failed);
  return all;
}

CacheModule::Socket::Socket(CacheModule& module, std::uint32_t io_processor, const FileRun& run, std::byte* memory,
                            std::vector<requests::Failed>* failed)
    : module_(module),
      io_processor_(io_processor),
      run_(run),
      memory_(memory),
      failed_(failed),
      acknowledgements_(module.port_.endpoint()) {
  const io::Volume& volume = module.system_.volume;
  for_each_part(volume, run, [&](const striped::Part& part) {
    if (volume.server_of(part.stripe) == io_processor) left_.push_back({run.file, offset_of(volume, part), part.bytes});
  });
}

CacheModule::Socket::~Socket() = default;

void CacheModule::Socket::called(State next, Cost cost) {
  module_.os_.charge(cost);
  const Cycles overhead = module_.params_.overhead;
  if (state_ == State::idle && overhead.count > 0) module_.os_.compute(overhead);
  state_ = next;
}

ByteRange CacheModule::Socket::range() const {
  const FileRun& part = left_.front();
  const auto from = static_cast<std::uint32_t>(part.offset % cache_block);
  return {from, from + static_cast<std::uint32_t>(std::min<std::uint64_t>(cache_block - from, part.bytes))};
}

void CacheModule::Socket::pass() {
  FileRun& part = left_.front();
  const std::uint32_t some = range().bytes();
  part.offset += some;
  part.bytes -= some;
  if (part.bytes == 0) left_.pop_front();
}

os::Task<> CacheModule::Socket::ask(bool may_wait) {
  if (state_ == State::idle) {
    called(State::requested, Cost::socket_write);
    module_.goes_on(run_);
  }
  while (!complete()) {
    if (Block* const block = module_.take(this->block())) {
      hold(*block);
      pass();
    } else if (may_wait && held_.empty()) {
      co_await module_.room();
    } else {
      co_await module_.os_.give_way();  // to the harvester
      if (module_.cache_.free_blocks() == 0) break;
    }
  }
  co_await fetch(held_);
}

void CacheModule::Socket::hold(Block& block) {
  const BlockKey key = block.key();
  const ByteRange range = this->range();
  held_.push_back({&block, range, module_.versions_.newest(key), block.failures});
  const std::uint32_t missing = module_.cache_.missing(block, range).bytes();
  const bool whole = block.valid().covers(range);
  ++(whole ? module_.counts_.hits : missing == 0 ? module_.counts_.joined : module_.counts_.misses);
  const char* const found = whole ? "hit" : missing == 0 ? "join" : missing < range.bytes() ? "partial hit" : "miss";
  module_.os_.note(found, key.file, key.number);
}

/// Asks the iod for the bytes that the blocks lack, whole blocks at a time: one request for each run of missing bytes
/// of its local file.
os::Task<> CacheModule::Socket::fetch(std::vector<Held> held) {
  struct Missing {
    FileRun run;
    std::deque<std::pair<std::uint64_t, BlockCache::Fetch>> blocks;
  };
  std::vector<Missing> all;
  bool goes_on = false;  // the end of the block before is missing
  for (const Held& h : held) {
    const BlockKey key = h.block->key();
    const ByteRange whole = module_.in_file(key);
    ByteRanges bytes = module_.cache_.missing(*h.block, whole);
    if (h.block->valid().covers(h.range)) bytes.clear();
    goes_on = goes_on && !bytes.empty();
    if (bytes.empty()) continue;
    const BlockCache::Fetch fetch = module_.cache_.expect(*h.block, bytes);
    for (const ByteRange range : bytes) {
      const std::uint64_t offset = key.number * cache_block + range.from;
      if (!goes_on || range.from > 0) all.push_back({{key.file, offset, 0}, {}});
      Missing& last = all.back();
      last.run.bytes = offset + range.bytes() - last.run.offset;
      if (last.blocks.empty() || last.blocks.back().first != key.number) last.blocks.emplace_back(key.number, fetch);
      goes_on = range.to == whole.to;
    }
  }
  for (Missing& one : all) {
    Arriving& arriving = fetches_.emplace_back(module_, one.run);
    arriving.blocks = std::move(one.blocks);
    arriving.watch(module_.system_, io_processor_, one.run);
    co_await ask_iod(module_.system_, module_.messages_, module_.port_, io_processor_, one.run, arriving.number(),
                     Request::keeps, acknowledgements_);
  }
}

os::Task<> CacheModule::Socket::fetched() {
  for (Arriving& fetch : fetches_) co_await fetch.all();
  while (acknowledgements_.outstanding()) co_await acknowledgements_.arrival();
  fetches_.clear();
}

os::Task<> CacheModule::Socket::acknowledgement() {
  assert(state_ != State::idle);
  if (state_ == State::requested) called(State::acknowledged, Cost::socket_read);
  co_return;
}

os::Task<> CacheModule::Socket::receive() {
  assert(state_ == State::acknowledged);
  if (held_.empty()) co_return;
  called(State::acknowledged, Cost::socket_read);
  for (const Held& h : std::exchange(held_, {})) {
    const BlockKey key = h.block->key();
    bool lost = false;
    while (!h.block->valid().covers(h.range) && !lost) {
      // An invalidation may have taken bytes away.
      if (module_.cache_.missing(*h.block, h.range).empty()) co_await module_.changed_.wait();
      else if (h.block->failures > h.failures) lost = true;
      else co_await fetch(std::vector(1, h));
    }
    if (lost) {
      failed_->push_back({key.file, requests::Operation::read, key.number * cache_block + h.range.from, h.range.bytes(),
                          h.block->last_failure});
      module_.unpin(*h.block);
      continue;
    }
    module_.os_.memory().copy(memory_of(key, h.range), h.block->data() + h.range.from, h.range.bytes());
    if (h.block->version < h.newest) {
      ++module_.counts_.stale_reads;
      module_.counts_.stale_bytes += h.range.bytes();
    }
    module_.os_.charge_copy(h.range.bytes());
    module_.unpin(*h.block);
    co_await module_.os_.settle();
  }
  co_await fetched();
}

void CacheModule::Socket::announce() {
  assert(state_ == State::idle);
  called(State::requested, Cost::socket_write);
}

os::Task<> CacheModule::Socket::send(bool coherent) {
  assert(state_ == State::requested);
  called(State::requested, Cost::socket_write);
  while (!complete()) {
    const BlockKey key = this->block();
    Block* const block = module_.take(key);
    if (!block) {
      co_await module_.room();
      continue;
    }
    const ByteRange range = this->range();
    module_.os_.memory().copy(block->data() + range.from, memory_of(key, range), range.bytes());
    if (coherent) {
      block->add_valid(range);
    } else {
      block->version = module_.versions_.written(key, block->version, block->dirty().empty());
      module_.cache_.mark_dirty(*block, range);
    }
    ++module_.counts_.written;
    module_.os_.note("write", key.file, key.number);
    module_.os_.charge_copy(range.bytes());
    module_.unpin(*block);
    module_.changed_.wake_all();
    co_await module_.os_.settle();
    pass();
  }
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
  os_.charge(Cost::cache_lookup);
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
