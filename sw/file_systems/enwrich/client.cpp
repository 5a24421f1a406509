// SPDX-License-Identifier: MIT
#include "sw/io/cached/client.h"
#include "sw/file_systems/client_server.h"
#include "sw/file_systems/enwrich/server.h"

namespace sunstar::file_systems::enwrich {

using os::Cost;

/// A compute processor: appends writes to its cache and takes part in flushes.
///
/// Its cache is for writes alone; reads use the caches of the I/O processors. What all caches hold of a file is flushed
/// before a read that opens the file: the processor's first read of it, or its first since it last wrote to it.
class Client final : public ComputeProcessor, private messages::Peers::Waiter {
 public:
  Client(Run& run, Common& common, const Params& params, workload::Team& team, std::uint32_t processor)
      : ComputeProcessor(run, team, processor),
        messages_(common),
        params_(params.enwrich),
        counters_(common.counters),
        flush_barrier_(common.flush_barrier),
        reads_(run.nodes, run.caller(processor), common.cached),
        cache_(params_, run.volume.block_bytes()),
        data_(os_.node().allocate(cache_.data_ring())),
        directory_(os_.node().allocate(run.volume.block_bytes())),
        gathered_(os_.node().allocate(run.volume.block_bytes())),
        opened_(run.volume.file_count()),
        wanted_(os_, "a reason to flush its cache"),
        all_done_(os_, "the I/O processors to end a flush"),
        ended_(os_, "the end of a flush") {
    messages_.flush.on_arrival<Cost::reply_action>(os_, [this](hal::Message& m) {
      const auto flush = messages::Kind<FlushRequest>::header(m);
      requested_ = std::max(requested_, flush.epoch);
      if (flush.last) last_ = true;
      const Time taken = os_.receive(m);
      os_.after(taken, [this] { wanted_.wake_all(); });
    });
    messages_.done.on_arrival<Cost::reply_action>(os_, [this](hal::Message& m) {
      const auto said = messages::Kind<FlushDone>::header(m);
      const hal::NodeId source = m.source;
      const Time taken = os_.receive(m);
      os_.after(taken, [this, source, said] { done(source, said); });
    });
    messages_.piece.on_arrival<Cost::remote_memory>(os_, [this](hal::Message& m) { answer_piece(m); });
    messages_.gather.on_arrival<Cost::remote_memory>(os_, [this](hal::Message& m) { answer_gather(m); });
  }

  void start() { os_.spawn(flush_thread(), "flush"); }
  os::Task<> run() {
    if (params_.flush_timeout > Duration{0}) os_.spawn(timeout_thread(), "flush timer", {.daemon = true});
    return make_calls<Cost::cached_call>([this](const requests::Access& access) { return transfer(access); });
  }

  /// Flushes what all caches hold, as the run's last.
  os::Task<> sync() {
    co_await flushed();  // a flush that runs in the background may have begun before the last writes
    co_await flush(Reason::end);
  }

  /// Flushes what all caches hold, and brings it to the media.
  os::Task<> fsync() {
    co_await flushed();
    co_await flush(Reason::sync);
    co_await io::sync(run_.nodes, endpoint_, messages_.sync, run_.record);
  }

  /// Its node has stopped: counts what its cache held.
  void count_cache(Losses& losses) const {
    cache_.for_each_held([&](const DirectoryEntry& e) {
      os_.note("lose", e.file, e.offset / run_.volume.block_bytes());
      losses.cached_bytes += e.bytes;
      losses.ranges.push_back({e.file, e.offset, e.bytes});
    });
  }

 private:
  os::Task<> transfer(const requests::Access& access) {
    const bool writes = access.operation == requests::Operation::write;
    if (writes) os_.charge<Cost::cached_call>();
    else os_.charge<Cost::file_call>();
    const Time start = os_.now();
    run_.job.record.begin(start, processor_);
    // Not one co_await of a conditional expression: GCC 12 destroys its operand twice.
    if (writes) co_await write(access);
    else co_await read(access);
    if (writes) os::counted_from_here<Cost::cached_call>();
    else os::counted_from_here<Cost::file_call>();
    // A write returns the error of an earlier one that a flush could not bring to disk.
    reads_.caller().ends(start, 1, access.bytes, access, std::exchange(lost_, hal::Status::ok));
  }

  os::Task<> write(const requests::Access& access) {
    opened_[access.file] = 0;
    for (std::uint64_t offset = access.offset, end = access.offset + access.bytes; offset < end;) {
      os::counted_from_here<Cost::log_append>();
      const WriteCache::Room room = cache_.room(offset, end - offset);
      if (room.bytes == 0 || (flushing() && !params_.background)) {
        if (flushing()) co_await flushed();
        else co_await flush(room.directory_is_full ? Reason::directory : Reason::data);
        continue;
      }
      os_.charge(Cost::log_append);
      os_.charge(Cost::copy_per_byte, room.bytes);
      os_.copied(room.bytes);
      co_await os_.settle();  // charged work takes its time here; the time stamp comes after it
      // A flush may have begun meanwhile. It only removes entries, so the room is still there.
      DirectoryEntry entry{static_cast<std::uint16_t>(processor_), static_cast<std::uint16_t>(access.file), room.bytes,
                           static_cast<std::uint64_t>(os_.now().time_since_epoch().count()), offset};
      entry.time_stamp = last_time_stamp_ = std::max(entry.time_stamp, last_time_stamp_ + 1);
      const WriteCache::Position at = cache_.append(entry);
      os_.note("append", entry.file, offset / run_.volume.block_bytes());
      std::byte* const to = data_ + at;
      messages::copy_piece(os_.memory(), to, memory_.base + access.memory + (offset - access.offset), room.bytes);
      offset += room.bytes;
      if (!flushing()) {
        if (params_.background && cache_.fullness() >= params_.flush_threshold) co_await begin_flush(Reason::threshold);
        else if (due()) co_await begin_flush(Reason::timeout);  // the timer's thread cannot run while this one computes
      }
      if (flushing()) co_await os_.give_way();  // to the flush thread
    }
    os::counted_from_here<Cost::cached_call>();
  }

  os::Task<> read(const requests::Access& access) {
    if (params_.flush_on_read && !opened_[access.file]) {
      opened_[access.file] = 1;
      co_await flushed();
      co_await flush(Reason::read, access.file);
    }
    co_await reads_.move(access, memory_.base);
  }

  // What a processor asks for goes through the barrier of the flush: if processors ask for different files at once, all
  // is flushed everywhere, so that no older bytes of a file stay behind in a cache.
  static constexpr messages::Barrier::Said all_files = messages::Barrier::differ;
  static std::optional<std::uint32_t> file_of(messages::Barrier::Said said) {
    return said == messages::Barrier::nothing || said == all_files ? std::nullopt : std::optional(said - 1);
  }

  /// Asks all nodes for a flush of all files or of one, unless one is wanted or under way already.
  os::Task<> begin_flush(Reason reason, std::optional<std::uint32_t> file = std::nullopt) {
    if (flushing()) co_return;
    asks_for_ = file ? *file + 1 : all_files;
    const FlushRequest flush{++requested_, reason == Reason::end};
    ++counters_.begun[static_cast<std::size_t>(reason)];
    last_ = flush.last;
    wanted_.wake_all();
    const auto& compute = run_.nodes.compute;
    for (std::size_t q = 1; q < compute.size(); ++q)
      co_await os_.send(messages_.flush.message(compute[(processor_ + q) % compute.size()]->id(), flush));
    // I/O processors get a notice, too; their flush threads wait for the directories.
    for (const io::IoNode& io : run_.nodes.io)
      if (std::ranges::find(compute, &io.endpoint) == compute.end())
        co_await os_.send(messages_.notice.message(io.endpoint.id(), flush));
  }

  bool flushing() const { return requested_ > completed_; }
  /// Waits until no flush is wanted or under way.
  os::Task<> flushed() {
    while (flushing()) co_await ended_.wait();
  }

  /// Asks for a flush and waits for its end.
  os::Task<> flush(Reason reason, std::optional<std::uint32_t> file = std::nullopt) {
    co_await begin_flush(reason, file);
    co_await flushed();
  }

  os::Task<> flush_thread() {
    while (true) {
      while (!flushing()) co_await wanted_.wait();
      const Time start = os_.now();
      const auto said = co_await flush_barrier_.wait(processor_, std::exchange(asks_for_, messages::Barrier::nothing));
      cache_.begin_flush(file_of(said));
      sends_ = true;
      co_await send_directories();
      co_await all_done();
      done_ = 0;
      std::ranges::fill(done_by_, 0);
      cache_.end_flush();
      sends_ = false;
      ++completed_;
      last_flush_ = os_.now();
      ended_.wake_all();
      if (processor_ == 0) {
        ++counters_.flushes;
        counters_.flush_time += seconds(os_.now() - start);
      }
    }
  }

  /// Sends each I/O processor the entries that concern its disks, or a message that there are none.
  os::Task<> send_directories() {
    os::counted_from_here<Cost::directory_entry>();
    const io::Volume& volume = run_.volume;
    std::vector<std::vector<DirectoryEntry>> parts(run_.nodes.io.size());
    std::uint64_t looked_at = 0;
    cache_.for_each_flushing([&](const DirectoryEntry& entry) {
      ++looked_at;
      const std::uint64_t first = entry.offset / volume.block_bytes(), end = entry.offset + entry.bytes;
      for (std::uint64_t block = first; block * volume.block_bytes() < end && block < first + volume.units(); ++block) {
        auto& part = parts[volume.server_of(block)];
        if (part.empty() || part.back().time_stamp != entry.time_stamp) part.push_back(entry);
        ++looked_at;
      }
    });
    os_.charge(Cost::directory_entry, static_cast<double>(looked_at));
    const std::uint64_t most = std::max<std::uint64_t>(volume.block_bytes() / sizeof(DirectoryEntry), 1);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const std::size_t i = (k + processor_) % parts.size();  // each client begins with a different I/O processor
      const auto& part = parts[i];
      std::uint64_t at = 0;
      do {
        const std::uint64_t entries = std::min<std::uint64_t>(most, part.size() - at);
        const auto bytes = static_cast<std::uint32_t>(entries * sizeof(DirectoryEntry));
        if (entries > 0) os_.memory().put(directory_, &part[at], bytes);
        co_await os_.send(messages_.directory.message(run_.nodes.io[i].endpoint.id(),
                                                      {processor_, part.size(), at, last_, completed_ + 1},
                                                      entries > 0 ? directory_ : nullptr, bytes));
        at += entries;
      } while (at < part.size());
    }
  }

  os::Task<> timeout_thread() {
    while (true) {
      if (!due()) co_await os_.sleep_until(last_flush_ + params_.flush_timeout);
      else if (cache_.entries() > 0 && !flushing()) co_await begin_flush(Reason::timeout);
      else if (flushing()) co_await ended_.wait();
      else co_await os_.sleep_until(os_.now() + params_.flush_timeout);
    }
  }

  bool due() const { return params_.flush_timeout > Duration{0} && os_.now() - last_flush_ >= params_.flush_timeout; }

  /// Waits until all I/O processors that are there are done.
  os::Task<> all_done() {
    const auto& io = run_.nodes.io;
    done_by_.resize(io.size());
    for (std::size_t i = 0; i < io.size(); ++i)
      if (!done_by_[i] && !endpoint_.peers().watch(io[i].endpoint.id(), *this)) lost(io[i].endpoint.id());
    while (done_ < io.size()) co_await all_done_.wait();
  }

  void done(hal::NodeId io, const FlushDone& said) {
    // The flush has ended without it, or has not waited for its directory, which will be refused.
    if (said.epoch != completed_ + 1 || !sends_) return;
    done_by_.resize(run_.nodes.io.size());
    std::uint32_t i = 0;
    while (run_.nodes.io[i].endpoint.id() != io) ++i;
    if (done_by_[i]) return;
    done_by_[i] = 1;
    endpoint_.peers().unwatch(io, *this);
    if (said.status == hal::Status::refused) lose(i, said.status);
    else if (said.status != hal::Status::ok) lost_ = said.status;
    if (++done_ == run_.nodes.io.size()) all_done_.wake_all();
  }

  // What earlier flushes had fetched, and not written yet, is lost as well.
  void lost(hal::NodeId io) override {
    if (params_.done_when == DoneWhen::fetched) {
      std::uint32_t i = 0;
      while (run_.nodes.io[i].endpoint.id() != io) ++i;
      run_.record.unsynced(i);
    }
    done(io, {completed_ + 1, hal::Status::refused});
  }

  /// What this flush was to bring to an I/O processor is lost.
  void lose(std::uint32_t io_processor, hal::Status status) {
    const io::Volume& volume = run_.volume;
    lost_ = status;
    cache_.for_each_flushing([&](const DirectoryEntry& entry) {
      for (std::uint64_t offset = entry.offset, end = entry.offset + entry.bytes; offset < end;) {
        const std::uint64_t block = offset / volume.block_bytes(),
                            to = std::min(end, (block + 1) * volume.block_bytes());
        if (volume.server_of(block) == io_processor)
          run_.record.failed({entry.file, requests::Operation::write, offset, to - offset, status});
        offset = to;
      }
    });
  }

  void answer_piece(hal::Message& m) {
    auto wanted = messages::Kind<PieceRequest>::header(m);
    auto* const data = const_cast<std::byte*>(cached(wanted.time_stamp, wanted.file_offset));
    if (!data) [[unlikely]]
      return refuse(m, wanted.reply);
    os_.charge_handler({{Cost::sort_comparison, log2_of(cache_.entries())}});
    hal::Message reply = endpoint_.reply(m.source, wanted.reply, data, static_cast<std::uint32_t>(wanted.bytes));
    declare(reply, messages::Carries::file_data);
    const Time taken = os_.receive(m);
    os_.send_at(taken, reply);
  }

  void answer_gather(hal::Message& m) {
    std::uint64_t bytes = 0;
    const std::size_t pieces = m.bytes / sizeof(GatherEntry);
    for (std::size_t i = 0; i < pieces; ++i) {
      const os::Counted<Cost::directory_entry> entry;
      GatherEntry wanted;
      messages::copy_data(m, i * sizeof wanted, &wanted, sizeof wanted);
      const std::byte* const from = cached(wanted.time_stamp, wanted.file_offset);
      if (!from) [[unlikely]]
        return refuse(m, messages::Kind<GatherRequest>::header(m).reply);
      messages::copy_piece(os_.memory(), gathered_ + bytes, from, wanted.bytes);
      bytes += wanted.bytes;
    }
    const auto each = static_cast<double>(pieces);
    os_.charge_handler({{Cost::sort_comparison, log2_of(cache_.entries()) * each},
                        {Cost::directory_entry, each},
                        {Cost::copy_per_byte, static_cast<double>(bytes)}});
    os_.copied(bytes);
    hal::Message reply = endpoint_.reply(m.source, messages::Kind<GatherRequest>::header(m).reply, gathered_,
                                         static_cast<std::uint32_t>(bytes));
    declare(reply, messages::Carries::file_data);
    const Time taken = os_.receive(m);
    // The interface copies the data at once, so the next request may use the buffer.
    os_.send_at(taken, reply);
  }

  // This processor has taken the sender for gone, and will not serve it.
  void refuse(hal::Message& m, messages::ReplyTo to) {
    to.status = hal::Status::refused;
    const hal::Message reply = endpoint_.reply(m.source, to);
    os_.send_at(os_.receive(m), reply);
  }

  /// The bytes at that offset, from the entry with that time stamp; null unless the flush under way takes it.
  const std::byte* cached(std::uint64_t time_stamp, std::uint64_t file_offset) const {
    const os::Counted<Cost::sort_comparison> mark;
    const WriteCache::Kept* const found = cache_.flushing(time_stamp);
    if (!found) [[unlikely]]
      return nullptr;
    os_.note("fetch", found->entry.file, file_offset / run_.volume.block_bytes());
    return data_ + found->data + (file_offset - found->entry.offset);
  }

  const Messages& messages_;
  const WriteCacheParams& params_;
  Counters& counters_;
  messages::Barrier& flush_barrier_;
  io::cached::Client reads_;
  WriteCache cache_;
  std::byte* data_;  // the cache's data, a ring
  // Two buffers: an I/O processor that has all directories gathers while this processor still sends to others.
  std::byte* directory_;                         // a part of the directory before it is sent
  std::byte* gathered_;                          // pieces of a block before they are sent
  std::vector<char> opened_;                     // by file: whether it is open for reading
  std::uint64_t requested_ = 0, completed_ = 0;  // flushes, counted alike on all processors
  hal::Status lost_ = hal::Status::ok;           // an error of a flush that no call has returned yet
  std::size_t done_ = 0;                         // I/O processors that are done with the current flush
  std::uint64_t last_time_stamp_ = 0;
  Time last_flush_{};
  bool last_ = false;                                              // the current flush is the run's last
  messages::Barrier::Said asks_for_ = messages::Barrier::nothing;  // a file + 1
  os::WaitQueue wanted_, all_done_, ended_;
  std::vector<char> done_by_;  // by I/O processor
  bool sends_ = false;         // the directories of the current flush go out, or have gone
};

Common::Common(Run& run, const Params&)
    : Messages(run.protocol.numbers), flush_barrier(run.nodes.compute, run.protocol.numbers) {
  constexpr std::size_t most = 1 << 16;  // an entry has 16 bits for each
  if (run.volume.file_count() > most || run.nodes.compute.size() > most)
    throw ConfigError("file_system.kind \"enwrich\" numbers files and compute processors with 16 bits; this run has ",
                      run.volume.file_count(), " files and ", run.nodes.compute.size(), " processors.");
}

void Common::add_statistics(StatisticSet& set) {
  static constexpr struct {
    const char *name, *why;
  } reason[reasons] = {{"data", "a full data section"},
                       {"directory", "a full directory"},
                       {"threshold", "a cache filled to the threshold"},
                       {"timeout", "the timeout"},
                       {"read", "a file opened for reading"},
                       {"sync", "a call that waits until all is on disk"},
                       {"end", "the end of the run"}};
  const std::string name = "enwrich.";
  set.counter(name + "flushes", "flushes of all caches", "1", counters.flushes);
  for (std::size_t r = 0; r < reasons; ++r)
    set.counter(name + reason[r].name + "_flushes",
                std::string("times a processor asked for a flush because of ") + reason[r].why, "1", counters.begun[r]);
  set.counter(name + "flush_time", "time from the beginning to the end of each flush, at compute processor 0", "s",
              counters.flush_time);
  set.counter(name + "flushed_bytes", "bytes fetched from the caches and written", "B", counters.flushed_bytes);
  set.counter(name + "flushed_entries", "directory entries, counted at each I/O processor that received them", "1",
              counters.flushed_entries);
  set.counter(name + "flushed_blocks", "blocks written", "1", counters.flushed_blocks);
  set.counter(name + "fetched_blocks", "blocks read first because the caches did not hold all of their bytes", "1",
              counters.fetched_blocks);
}

/// ENWRICH (Purakayastha, Ellis and Kotz, "ENWRICH: a compute-processor write caching scheme for parallel file
/// systems", Duke CS-1995-22): every compute processor appends its writes to its own cache; when one cache is full, all
/// are flushed together, disk-directed. docs/file-systems/enwrich.md follows a write and a flush step by step.
class Enwrich final : public ClientServer<Params, Common, Server, Client> {
 public:
  using ClientServer::ClientServer;

  bool coherent() const override { return params().enwrich.flush_on_read; }
};

std::unique_ptr<FileSystem> make(const Params& params, Run& run) { return std::make_unique<Enwrich>(run, params); }

std::uint64_t memory(const Params& params, const Sizes& sizes) {
  // A compute processor has its write cache and two blocks for what it sends. An I/O processor has all directories,
  // none larger than its cache, the block buffers and the cache for reads.
  const std::uint64_t directories = sizes.disks_of_node > 0 ? sizes.compute_processors : 0;
  return (directories + 1) * params.enwrich.cache_size.count + 2 * sizes.block_bytes +
         params.buffers_per_disk * sizes.disks_of_node * sizes.block_bytes +
         io::cached::memory(params.cache, sizes.compute_processors, sizes.disks_of_node, sizes.block_bytes);
}

}  // namespace sunstar::file_systems::enwrich
