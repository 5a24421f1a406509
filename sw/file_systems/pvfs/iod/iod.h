// SPDX-License-Identifier: MIT
#pragma once
#include <deque>

#include "sw/file_systems/pvfs/iod/directory.h"
#include "sw/file_systems/pvfs/protocol/messages.h"
#include "sw/file_systems/system.h"
#include "sw/io/page_cache/page_cache.h"

namespace sunstar::file_systems::pvfs {

/// A data node's daemon (section 3.1), which serves requests for its part of the files from local files; beside it, the
/// flusher's counterpart, which writes what caches flush. The iod is one process: requests share it while they send or
/// receive, but a local read or write holds it until the kernel returns.
class Iod {
 public:
  Iod(System& system, const Messages& messages, const Params& params, Versions& versions, std::uint32_t io_processor)
      : messages_(messages),
        params_(params),
        volume_(system.volume),
        record_(system.record),
        versions_(versions),
        io_processor_(io_processor),
        endpoint_(system.nodes.io[io_processor].endpoint),
        os_(endpoint_.os),
        pages_(system.nodes.io[io_processor], system.volume, params.page_cache),
        directory_(system.volume),
        process_(os_, "the iod"),
        flusher_(os_, "the iod's flusher") {
    messages.request.on_arrival<os::Cost::request_decode>(os_, [this](hal::Message& m) {
      const Request request = messages::Kind<Request>::header(m);
      Job& asked = job(m.source, request.number);
      asked.request = request;
      os_.receive(m);
      os_.spawn_at(os_.handler_end(), serve(asked), "iod");
    });
    messages.put.on_arrival(os_, [this](hal::Message& m) { receive_data(m); });
    messages.flush.on_arrival<os::Cost::request_decode>(os_, [this](hal::Message& m) { receive_flush(m); });
    messages.sync.on_arrival<os::Cost::request_decode>(os_, [this](hal::Message& m) {
      const Sync asked = messages::Kind<Sync>::header(m);
      const hal::NodeId source = m.source;
      os_.receive(m);
      os_.spawn_at(os_.handler_end(), sync(source, asked.reply), "sync");
    });
  }

  void add_statistics(StatisticSet& set) {
    const std::string prefix = os_.node().name() + ".iod";
    set.counter(prefix + ".reads", "read requests", "1", reads_);
    set.counter(prefix + ".writes", "write requests", "1", writes_);
    set.counter(prefix + ".flushes", "messages of caches' flushers", "1", flushes_);
    set.counter(prefix + ".invalidations", "messages to caches whose copies are out of date", "1", invalidations_);
    set.counter(prefix + ".from_caches", "blocks that other nodes' caches provided", "1", from_caches_);
    pages_.add_statistics(set, os_.node().name() + ".page_cache");
  }

 private:
  /// Data that have come and are not in the kernel yet.
  struct Piece {
    std::uint64_t offset;
    content::Content data;
  };
  /// A request being served. Its data may overtake it on some networks.
  struct Job final : messages::Peers::Waiter {
    explicit Job(os::Os& os) : arrival(os, "data for an iod") {}
    void lost(hal::NodeId) override {
      source_gone = true;
      arrival.wake_all();
    }
    Request request;
    hal::NodeId source{};
    std::deque<Piece> arrived;
    os::WaitQueue arrival;
    bool source_gone = false;
    bool given_up = false;  ///< data that come late are dropped
  };
  using JobId = std::pair<hal::NodeId, std::uint32_t>;

  Job& job(hal::NodeId source, std::uint32_t number) {
    Job& found = jobs_.try_emplace({source, number}, os_).first->second;
    found.source = source;
    return found;
  }

  void receive_data(hal::Message& m) {
    const Data header = messages::Kind<Data>::header(m);
    Job& to = job(m.source, header.number);
    Piece piece{header.offset, *m.content};
    const Time there = os_.receive(m);
    os_.after(there, [&to, piece = std::move(piece)]() mutable {
      if (to.given_up) return;
      to.arrived.push_back(std::move(piece));
      to.arrival.wake_all();
    });
  }

  void receive_flush(hal::Message& m) {
    const Flush header = messages::Kind<Flush>::header(m);
    Piece piece{header.offset, *m.content};
    const hal::NodeId source = m.source;
    const Time there = os_.receive(m);
    os_.spawn_at(there, flush(source, header, std::move(piece)), "flusher of the iod");
  }

  os::Task<> serve(Job& job) {
    if (job.request.flags & Request::writes) co_await write(job);
    else co_await read(job);
    if (!job.given_up) jobs_.erase({job.source, job.request.number});
  }

  os::Task<> read(Job& job) {
    ++reads_;
    const Request request = job.request;
    const FileRun run{request.file, request.offset, request.bytes};
    co_await os_.send(endpoint_.reply(job.source, request.acknowledgement));
    if (request.flags & Request::keeps)
      for_each_block(run, [&](const BlockKey& block) { directory_.read(block, job.source, whole(run, block)); });
    std::vector<striped::Part> parts;
    for_each_part(volume_, run, [&](const striped::Part& part) {
      if (mine(part.stripe)) parts.push_back(part);
    });
    for (const striped::Part& part : parts) {
      io::PageCache::Read got{};
      {
        const auto guard = co_await process_.lock();
        os_.charge(os::Cost::block_request);
        if (params_.module.global && !pages_.has(request.file, part.stripe, part.from, part.bytes))
          co_await fetch_from_caches(job.source, request.file, part.stripe, part.from, part.bytes);
        got = co_await pages_.read(job.source, request.file, part.stripe, part.from, part.bytes);
      }
      const Data header{.number = request.number, .offset = offset_of(volume_, part)};
      if (!got.cluster) {
        const Missing missing{
            .number = request.number, .bytes = part.bytes, .offset = header.offset, .status = got.status};
        if (request.flags & Request::keeps)
          for_each_block({request.file, header.offset, part.bytes},
                         [&](const BlockKey& block) { directory_.lacks(block, job.source); });
        co_await os_.send(messages_.missing.message(job.source, missing));
        continue;
      }
      co_await os_.send(messages_.data.message(job.source, header, got.cluster->base + part.from, part.bytes));
      pages_.release(*got.cluster);
    }
  }

  os::Task<> write(Job& job) {
    ++writes_;
    const Request request = job.request;
    const FileRun run{request.file, request.offset, request.bytes};
    messages::ReplyTo acknowledgement = request.acknowledgement;
    std::uint64_t left = 0;
    for_each_part(volume_, run, [&](const striped::Part& part) {
      if (mine(part.stripe)) left += part.bytes;
    });
    if (left > 0) job.source_gone = !endpoint_.peers().watch(job.source, job);
    while (left > 0) {
      while (job.arrived.empty() && !job.source_gone) co_await job.arrival.wait();
      if (job.arrived.empty()) break;
      const Piece piece = std::move(job.arrived.front());
      job.arrived.pop_front();
      left -= piece.data.size();
      const auto guard = co_await process_.lock();
      const hal::Status status = co_await store(request.file, piece);
      if (status != hal::Status::ok) acknowledgement.status = status;
    }
    endpoint_.peers().unwatch(job.source, job);
    if (left > 0) {  // it learns of it, should it be there
      job.given_up = true;
      job.arrived.clear();
      acknowledgement.status = hal::Status::no_answer;
    }
    const bool keeps = request.flags & Request::keeps && !job.given_up;
    for_each_block(run, [&](const BlockKey& block) {
      versions_.written_at_server(block);
      directory_.written(block, job.source, whole(run, block), keeps);
    });
    if (request.flags & Request::coherent) co_await invalidate(job.source, run);
    co_await os_.send(endpoint_.reply(job.source, acknowledgement));
  }

  os::Task<> flush(hal::NodeId source, Flush flush, Piece piece) {
    ++flushes_;
    const FileRun run{flush.file, flush.offset, piece.data.size()};
    {
      const auto guard = co_await flusher_.lock();
      flush.reply.status = co_await store(flush.file, piece);
    }
    if (flush.reply.status != hal::Status::ok)
      record_.failed({run.file, requests::Operation::write, run.offset, run.bytes, flush.reply.status});
    if (const hal::Status lost = tell_lost(); lost != hal::Status::ok) flush.reply.status = lost;
    for_each_block(run, [&](const BlockKey& block) { directory_.written(block, source, whole(run, block), true); });
    co_await os_.send(endpoint_.reply(source, flush.reply));
  }

  os::Task<hal::Status> store(std::uint32_t file, const Piece& piece) {
    os_.charge(os::Cost::block_request);
    const std::uint64_t stripe = piece.offset / volume_.block_bytes();
    co_return co_await pages_.write(file, stripe, static_cast<std::uint32_t>(piece.offset % volume_.block_bytes()),
                                    piece.data);
  }

  /// Notes what the kernel has lost: the answer that leaves next tells. Returns its status.
  hal::Status tell_lost() {
    const os::NotOnTheMachine mark;
    hal::Status status = hal::Status::ok;
    for (const requests::Failed& failed : pages_.lost()) {
      record_.failed(failed);
      status = failed.status;
    }
    pages_.lost().clear();
    return status;
  }

  /// Asks other nodes' caches for the blocks of a stripe that the kernel does not have, and gives them to the kernel.
  os::Task<> fetch_from_caches(hal::NodeId reader, std::uint32_t file, std::uint64_t stripe, std::uint32_t at,
                               std::uint32_t bytes) {
    const std::uint64_t first = stripe * volume_.block_bytes();
    if (!fetched_) fetched_ = os_.node().allocate(sizeof(Fetched) + cache_block);
    for (std::uint32_t from = at / cache_block * cache_block; from < at + bytes; from += cache_block) {
      const std::uint32_t some = std::min(cache_block, volume_.bytes_in_block(file, stripe) - from);
      if (pages_.has(file, stripe, from, some)) continue;
      const BlockKey block{file, (first + from) / cache_block};
      const hal::NodeId holder = directory_.another(block, reader);
      if (holder == reader) continue;
      messages::ReplyAction answer(endpoint_);
      const Fetch ask{.file = file, .block = block.number, .reply = answer.expect(holder, fetched_)};
      co_await os_.send(messages_.fetch.message(holder, ask));
      while (answer.outstanding()) co_await answer.arrival();
      Fetched got;
      std::memcpy(&got, fetched_, sizeof got);
      if (answer.take_status() != hal::Status::ok || got.bytes < some) {
        directory_.lacks(block, holder);
        continue;
      }
      ++from_caches_;
      content::Content block_content;
      os_.memory().read(fetched_ + sizeof got, some, block_content);
      co_await pages_.put(file, stripe, from, block_content);
    }
  }

  /// Tells all other caches that hold blocks of the run, and returns when they have dropped them.
  os::Task<> invalidate(hal::NodeId writer, const FileRun& run) {
    std::map<hal::NodeId, std::vector<std::uint64_t>> of;
    for_each_block(run, [&](const BlockKey& block) {
      for (const hal::NodeId cache : directory_.take_others(block, writer)) of[cache].push_back(block.number);
    });
    messages::ReplyAction replies(endpoint_);
    for (const auto& [cache, blocks] : of)
      for (std::size_t i = 0, next = 0; i < blocks.size(); i = next) {
        for (next = i + 1; next < blocks.size() && blocks[next] == blocks[next - 1] + 1;) ++next;
        const Invalidate tell{.file = run.file,
                              .offset = blocks[i] * cache_block,
                              .bytes = (next - i) * cache_block,
                              .reply = replies.expect(cache)};
        ++invalidations_;
        co_await os_.send(messages_.invalidate.message(cache, tell));
      }
    while (replies.outstanding()) co_await replies.arrival();
  }

  os::Task<> sync(hal::NodeId source, messages::ReplyTo to) {
    to.status = co_await pages_.sync();
    tell_lost();
    co_await os_.send(endpoint_.reply(source, to));
  }

  bool mine(std::uint64_t stripe) const { return volume_.server_of(stripe) == io_processor_; }

  template <class Visit>
  void for_each_block(const FileRun& run, Visit visit) const {
    if (run.bytes == 0) return;
    const std::uint64_t stripe = volume_.block_bytes();
    for (std::uint64_t b = run.offset / cache_block; b <= (run.offset + run.bytes - 1) / cache_block; ++b)
      if (mine(b * cache_block / stripe)) visit(BlockKey{run.file, b});
  }

  bool whole(const FileRun& run, const BlockKey& block) const {
    const std::uint64_t first = block.number * cache_block;
    const std::uint64_t end = std::min(first + cache_block, volume_.file_bytes(run.file));
    return run.offset <= first && end <= run.offset + run.bytes;
  }

  const Messages& messages_;
  const Params params_;
  io::Volume& volume_;
  requests::Recorder& record_;
  Versions& versions_;
  const std::uint32_t io_processor_;
  messages::Endpoint& endpoint_;
  os::Os& os_;
  io::PageCache pages_;
  Directory directory_;
  os::Mutex process_, flusher_;
  std::map<JobId, Job> jobs_;
  std::byte* fetched_ = nullptr;  // a block from another node's cache
  std::uint64_t reads_ = 0, writes_ = 0, flushes_ = 0, invalidations_ = 0, from_caches_ = 0;
};

}  // namespace sunstar::file_systems::pvfs
