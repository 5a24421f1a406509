// SPDX-License-Identifier: MIT
#include "sw/file_systems/enwrich/client.h"

#include <algorithm>

namespace sunstar::file_systems::enwrich {

using os::Cost;

Client::Client(Run& run, Common& common, const Params& params, workload::Team& team, std::uint32_t processor)
    : ComputeProcessor(run, team, processor),
      messages_(common),
      params_(params.enwrich),
      counters_(common.counters),
      flush_barrier_(common.flush_barrier),
      striped_(run.caller(processor)),
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

os::Task<> Client::run() {
  if (params_.flush_timeout > Duration{0}) os_.spawn(timeout_thread(), "flush timer", {.daemon = true});
  return make_calls<Cost::cached_call>([this](const requests::Access& access) { return transfer(access); });
}

os::Task<> Client::sync() {
  co_await flushed();  // a flush that runs in the background may have begun before the last writes
  co_await flush(Reason::end);
}

os::Task<> Client::fsync() {
  co_await flushed();
  co_await flush(Reason::sync);
  co_await io::sync(run_.nodes, endpoint_, messages_.sync, run_.record);
}

os::Task<> Client::transfer(const requests::Access& access) {
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
  // A write returns that an earlier one could not be brought to disk, as a flush has found out.
  striped_.caller().ends(start, 1, access.bytes, access, std::exchange(lost_, hal::Status::ok));
}

os::Task<> Client::write(const requests::Access& access) {
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

os::Task<> Client::read(const requests::Access& access) {
  if (params_.flush_on_read && !opened_[access.file]) {
    opened_[access.file] = 1;
    co_await flushed();
    co_await flush(Reason::read);
  }
  co_await striped_.move(access, memory_.base, [this](const io::BlockPart& part, bool, const messages::ReplyTo& reply) {
    return messages_.read.message(part.server, {part.file, part.bytes, part.offset, reply});
  });
}

os::Task<> Client::flushed() {
  while (flushing()) co_await ended_.wait();
}

os::Task<> Client::flush(Reason reason) {
  co_await begin_flush(reason);
  co_await flushed();
}

os::Task<> Client::begin_flush(Reason reason) {
  if (flushing()) co_return;
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

os::Task<> Client::flush_thread() {
  while (true) {
    while (!flushing()) co_await wanted_.wait();
    const Time start = os_.now();
    co_await flush_barrier_.wait(processor_);
    cache_.begin_flush();
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

os::Task<> Client::send_directories() {
  os::counted_from_here<Cost::directory_entry>();
  const io::Volume& volume = run_.volume;
  std::vector<std::vector<DirectoryEntry>> parts(run_.nodes.io.size());
  std::uint64_t looked_at = 0;
  for (std::size_t i = 0; i < cache_.flushing(); ++i) {
    const DirectoryEntry& entry = cache_.entry(i);
    ++looked_at;
    const std::uint64_t first = entry.offset / volume.block_bytes(), end = entry.offset + entry.bytes;
    for (std::uint64_t block = first; block * volume.block_bytes() < end && block < first + volume.units(); ++block) {
      auto& part = parts[volume.server_of(block)];
      if (part.empty() || part.back().time_stamp != entry.time_stamp) part.push_back(entry);
      ++looked_at;
    }
  }
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

const std::byte* Client::cached(std::uint64_t time_stamp, std::uint64_t file_offset) const {
  const os::Counted<Cost::sort_comparison> mark;
  const auto found = cache_.find(time_stamp);
  os_.note("fetch", found.entry.file, file_offset / run_.volume.block_bytes());
  return data_ + found.data + (file_offset - found.entry.offset);
}

// Who asks has been taken for gone meanwhile, and the entry given up.
void Client::refuse(hal::Message& m, messages::ReplyTo to) {
  to.status = hal::Status::refused;
  const hal::Message reply = endpoint_.reply(m.source, to);
  os_.send_at(os_.receive(m), reply);
}

void Client::answer_piece(hal::Message& m) {
  auto wanted = messages::Kind<PieceRequest>::header(m);
  if (!cache_.has(wanted.time_stamp)) [[unlikely]]
    return refuse(m, wanted.reply);
  os_.charge_handler({{Cost::sort_comparison, log2_of(cache_.entries())}});
  auto* data = const_cast<std::byte*>(cached(wanted.time_stamp, wanted.file_offset));
  hal::Message reply = endpoint_.reply(m.source, wanted.reply, data, static_cast<std::uint32_t>(wanted.bytes));
  declare(reply, messages::Carries::file_data);
  const Time taken = os_.receive(m);
  os_.send_at(taken, reply);
}

void Client::answer_gather(hal::Message& m) {
  std::uint64_t bytes = 0;
  const std::size_t pieces = m.bytes / sizeof(GatherEntry);
  for (std::size_t i = 0; i < pieces; ++i) {
    const os::Counted<Cost::directory_entry> entry;
    GatherEntry wanted;
    messages::copy_data(m, i * sizeof wanted, &wanted, sizeof wanted);
    if (!cache_.has(wanted.time_stamp)) [[unlikely]]
      return refuse(m, messages::Kind<GatherRequest>::header(m).reply);
    const std::byte* const from = cached(wanted.time_stamp, wanted.file_offset);
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

bool Client::due() const {
  return params_.flush_timeout > Duration{0} && os_.now() - last_flush_ >= params_.flush_timeout;
}

os::Task<> Client::timeout_thread() {
  while (true) {
    if (!due()) co_await os_.sleep_until(last_flush_ + params_.flush_timeout);
    else if (cache_.entries() > 0 && !flushing()) co_await begin_flush(Reason::timeout);
    else if (flushing()) co_await ended_.wait();
    else co_await os_.sleep_until(os_.now() + params_.flush_timeout);
  }
}

void Client::count_cache(Losses& losses) const {
  for (std::size_t i = 0; i < cache_.entries(); ++i) {
    const DirectoryEntry& e = cache_.entry(i);
    os_.note("lose", e.file, e.offset / run_.volume.block_bytes());
    losses.cached_bytes += e.bytes;
    losses.ranges.push_back({e.file, e.offset, e.bytes});
  }
}

os::Task<> Client::all_done() {
  const auto& io = run_.nodes.io;
  done_by_.resize(io.size());
  for (std::size_t i = 0; i < io.size(); ++i)
    if (!done_by_[i] && !endpoint_.peers().watch(io[i].endpoint.id(), *this)) lost(io[i].endpoint.id());
  while (done_ < io.size()) co_await all_done_.wait();
}

void Client::done(hal::NodeId io, const FlushDone& said) {
  // Of a flush that has ended without it; or that has not waited for its directory, which will be refused.
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
void Client::lost(hal::NodeId io) {
  if (params_.done_when == DoneWhen::fetched) {
    std::uint32_t i = 0;
    while (run_.nodes.io[i].endpoint.id() != io) ++i;
    run_.record.unsynced(i);
  }
  done(io, {completed_ + 1, hal::Status::refused});
}

void Client::lose(std::uint32_t io_processor, hal::Status status) {
  const io::Volume& volume = run_.volume;
  lost_ = status;
  for (std::size_t k = 0; k < cache_.flushing(); ++k) {
    const DirectoryEntry& entry = cache_.entry(k);
    for (std::uint64_t offset = entry.offset, end = entry.offset + entry.bytes; offset < end;) {
      const std::uint64_t block = offset / volume.block_bytes(), to = std::min(end, (block + 1) * volume.block_bytes());
      if (volume.server_of(block) == io_processor)
        run_.record.failed({entry.file, requests::Operation::write, offset, to - offset, status});
      offset = to;
    }
  }
}

}  // namespace sunstar::file_systems::enwrich
