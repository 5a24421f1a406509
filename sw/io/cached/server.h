// SPDX-License-Identifier: MIT
#pragma once
#include <boost/container/small_vector.hpp>

#include "sw/io/block_transfers.h"
#include "sw/io/cached/cache.h"
#include "sw/io/cached/messages.h"
#include "sw/io/cached/params.h"

namespace sunstar::io::cached {

/// An I/O processor: a cache over its disks, and a thread for each request.
class Server {
 public:
  Server(Nodes& nodes, const Volume& volume, const Messages& messages, const CacheParams& params,
         requests::Recorder& record, std::uint32_t io_processor)
      : volume_(volume),
        record_(record),
        endpoint_(nodes.io[io_processor].endpoint),
        os_(endpoint_.os),
        prefetch_(params.prefetch),
        cache_(nodes.io[io_processor], volume, params.replacement,
               params.buffers_per_cp_per_disk * nodes.compute.size() * nodes.io[io_processor].store.units()) {
    // Each request gets its own thread; the data of a write go into that thread's buffer.
    messages.read.starts_thread(os_, "read request", [this](hal::Message& m) { return read(m, false); });
    messages.write.starts_thread(os_, "write request", [this](hal::Message& m) { return write(m, false); });
    messages.sync.starts_thread(os_, "sync request", [this](hal::Message& m) { return sync(m); });
    messages.read_chunks.starts_thread(os_, "read request", [this](hal::Message& m) { return read(m, true); });
    messages.write_chunks.starts_thread(os_, "write request", [this](hal::Message& m) { return write(m, true); });
  }

  /// The same of a file system, whose parameters have the member `cache`.
  template <class System, class Params>
  Server(System& system, const Messages& messages, const Params& params, std::uint32_t io_processor)
      : Server(system.nodes, system.volume, messages, params.cache, system.record, io_processor) {}

  /// Takes the blocks of a transfer out of the cache, one by one as their turn comes: a block is either in the cache or
  /// in a transfer's buffer, never in both.
  BlockGuard& guard() { return guard_; }

  void add_statistics(StatisticSet& set) { cache_.add_statistics(set); }

 private:
  /// A request for a part of a block, or for several chunks of it.
  struct Asked {
    std::uint32_t file = 0;
    std::uint64_t block = 0;
    boost::container::small_vector<messages::PieceRun, 1> runs;  ///< offsets into the block
    std::uint32_t chunks = 0, bytes = 0;                         ///< all together
    messages::ReplyTo reply;
  };

  Asked decode(const hal::Message& request, bool chunks, bool write) {
    os_.charge<os::Cost::request_decode>();
    Asked asked;
    if (chunks) {
      const ChunksRequest& r = messages::Kind<ChunksRequest>::header(request);
      asked.file = r.file;
      asked.reply = r.reply;
      asked.runs.resize(r.runs, r.run);
      if (r.runs > 1) {
        const std::size_t list_bytes = r.runs * sizeof(messages::PieceRun);
        messages::copy_data(request, write ? request.bytes - list_bytes : 0, asked.runs.data(), list_bytes);
      }
    } else {
      const BlockRequest& r = messages::Kind<BlockRequest>::header(request);
      asked.file = r.file;
      asked.reply = r.reply;
      asked.runs.push_back({r.offset, r.bytes});
    }
    asked.block = asked.runs.front().offset / volume_.block_bytes();
    for (messages::PieceRun& run : asked.runs) {
      run.offset -= asked.block * volume_.block_bytes();
      asked.chunks += run.count;
      asked.bytes += run.count * run.bytes;
    }
    return asked;
  }

  /// `chunks`: the request is a ChunksRequest.
  os::Task<> read(hal::Message& request, bool chunks) {
    const Asked asked = decode(request, chunks, false);
    const hal::NodeId client = request.source;
    os_.node().network().release(request);  // very many threads may wait for their blocks
    os::counted_from_here<os::Cost::cache_lookup>();
    Cache::Buffer* b;
    while (!(b = cache_.try_obtain(asked.file, asked.block))) co_await cache_.room(asked.file, asked.block);
    messages::ReplyTo reply = asked.reply;
    // Several chunks are there only if each one is; the bytes between them do not matter.
    for (const messages::PieceRun& run : asked.runs) {
      for (std::uint32_t i = 0; i < run.count; ++i) {
        const auto offset = static_cast<std::uint32_t>(run.offset + i * run.stride);
        while (reply.status == hal::Status::ok && !cache_.fetched(*b, offset, run.bytes)) {
          co_await b->waiters.wait();
          reply.status = b->read_error;
        }
      }
    }
    const bool there = reply.status == hal::Status::ok;
    std::byte* data = cache_.data(*b) + asked.runs.front().offset;
    std::byte* gathered = nullptr;
    if (there && asked.chunks > 1) {
      if (gathering_.empty()) gathering_.push_back(os_.node().allocate(volume_.block_bytes()));
      gathered = take_last(gathering_);
      const auto charged = endpoint_.charge_for_pieces(asked.chunks, asked.bytes);
      std::byte* end = data = gathered;
      for (const messages::PieceRun& run : asked.runs) end = messages::pack(run, os_.memory(), cache_.data(*b), end);
    }
    co_await endpoint_.answer(client, reply, data, there ? asked.bytes : 0, messages::Carries::file_data);
    if (gathered) gathering_.push_back(gathered);
    cache_.unpin(*b);
    if (there && prefetch_) cache_.prefetch(asked.file, volume_.next_on_unit(asked.block));
  }

  os::Task<> write(hal::Message& request, bool chunks) {
    const Asked asked = decode(request, chunks, true);
    os::counted_from_here<os::Cost::cache_lookup>();
    Cache::Buffer* b;
    while (!(b = cache_.try_obtain(asked.file, asked.block))) co_await cache_.room(asked.file, asked.block);
    // The one memory-memory copy: from the thread's buffer into the cache.
    if (asked.chunks == 1) os_.charge_copy(asked.bytes);
    {
      const os::Counted<os::Cost::piece_copy> mark;
      if (asked.chunks > 1) endpoint_.charge_for_pieces(asked.chunks, asked.bytes);
      cache_.prepare_write(*b, asked.chunks == 1 ? asked.bytes : 0);
      std::uint64_t from = 0;
      for (const messages::PieceRun& run : asked.runs)
        from = messages::unpack(run, request, from, os_.memory(), cache_.data(*b));
    }
    for (const messages::PieceRun& run : asked.runs)
      messages::for_each_piece(run, [&](std::uint64_t offset, std::uint32_t bytes) {
        cache_.written(*b, static_cast<std::uint32_t>(offset), bytes);
      });
    cache_.unpin(*b);
    co_await endpoint_.answer(request, asked.reply);
  }

  os::Task<> sync(hal::Message& request) {
    messages::ReplyTo reply = messages::Kind<SyncRequest>::header(request).reply;
    reply.status = co_await cache_.sync();
    for (const requests::Failed& lost : cache_.lost()) record_.failed(lost);
    cache_.lost().clear();
    co_await endpoint_.answer(request, reply);
  }

  const Volume& volume_;
  requests::Recorder& record_;
  messages::Endpoint& endpoint_;
  os::Os& os_;
  const bool prefetch_;
  std::vector<std::byte*> gathering_;  // free buffers for chunks on their way into a reply
  Cache cache_;
  struct Guard final : BlockGuard {
    explicit Guard(Cache& c) : cache(c) {}
    bool try_acquire(const BlockJob& job) override { return cache.try_lock(job.file, job.block); }
    os::Task<> acquire(const BlockJob& job, bool write, bool whole) override {
      return cache.lock(job.file, job.block, write && whole);
    }
    void release(const BlockJob& job) override { cache.unlock(job.file, job.block); }
    Cache& cache;
  } guard_{cache_};
};

}  // namespace sunstar::io::cached
