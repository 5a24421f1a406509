// SPDX-License-Identifier: MIT
#include "sw/io/cached/server.h"

#include <cstring>

namespace sunstar::io::cached {

using os::Cost;

Server::Server(Nodes& nodes, const Volume& volume, const Messages& messages, const CacheParams& params,
               std::uint32_t io_processor)
    : volume_(volume),
      endpoint_(nodes.io[io_processor].endpoint),
      os_(endpoint_.os),
      prefetch_(params.prefetch),
      cache_(nodes, volume, params, io_processor) {
  // Each request gets its own thread; the data of a write go into that thread's buffer.
  const auto thread = [this](const char* name, auto body) {
    os::ThreadKind* const kind = &os_.kind(name);
    return [this, kind, body](hal::Message& m) {
      const os::Counted<Cost::thread_create> mark;
      os_.spawn_at(os_.take(m), (this->*body)(m), *kind);
    };
  };
  messages.read.on_arrival(os_, {}, thread("read request", &Server::read));
  messages.write.on_arrival(os_, {}, thread("write request", &Server::write));
  messages.sync.on_arrival(os_, {}, thread("sync request", &Server::sync));
  messages.read_chunks.on_arrival(os_, {}, thread("read request", &Server::read_chunks));
  messages.write_chunks.on_arrival(os_, {}, thread("write request", &Server::write_chunks));
}

void Server::add_statistics(StatisticSet& set) {
  const std::string name = os_.node().name() + ".cache.";
  set.counter(name + "hits", "requests that found their block in the cache, or on its way there", "1", cache_.hits);
  set.counter(name + "misses", "requests that took a buffer for their block", "1", cache_.misses);
  set.counter(name + "cleared", "buffers that were cleared before the first write of a part of their block", "1",
              cache_.cleared);
  set.counter(name + "written_back", "blocks that were written to disk because a collective wanted them", "1",
              cache_.written_back);
  set.counter(name + "forgotten", "blocks that the cache gave up because a collective wanted them", "1",
              cache_.forgotten);
  set.counter(name + "evictions", "buffers whose block made room for another", "1", cache_.evictions);
}

Server::Asked Server::decode(const hal::Message& request) {
  const os::Counted<Cost::request_decode> mark;
  const BlockRequest r = messages::Kind<BlockRequest>::header(request);
  os_.charge(Cost::request_decode);
  const std::uint32_t block_bytes = volume_.block_bytes();
  return {r.file, r.bytes, r.offset / block_bytes, static_cast<std::uint32_t>(r.offset % block_bytes), r.reply};
}

os::Task<> Server::read(hal::Message& request) {
  os::counted_from_here<Cost::request_decode>();
  const Asked asked = decode(request);
  os::counted_from_here<Cost::cache_lookup>();
  Cache::Buffer* b;
  while (!(b = cache_.try_obtain(asked.file, asked.block))) co_await cache_.room(asked.file, asked.block);
  os::counted_from_here<Cost::cache_lookup>();
  if (!cache_.valid(*b, asked.offset, asked.bytes)) co_await cache_.validate(*b, asked.offset, asked.bytes);
  os::counted_from_here<Cost::message_send>();
  const hal::Message reply = endpoint_.reply(request.source, asked.reply, cache_.data(*b) + asked.offset, asked.bytes);
  os_.node().network().release(request);
  co_await os_.send(reply);
  os::counted_from_here<Cost::cache_lookup>();
  cache_.unpin(*b);
  if (prefetch_) prefetch(asked.file, volume_.next_on_unit(asked.block));
}

void Server::prefetch(std::uint32_t file, std::uint64_t block) {
  if (block >= volume_.blocks(file) || cache_.locked(file, block)) return;
  if (cache_.find(file, block)) return;
  Cache::Buffer* const b = cache_.try_allocate(file, block);
  if (!b) return;
  os_.note("prefetch", file, block);
  cache_.start_read(*b);
}

os::Task<> Server::write(hal::Message& request) {
  os::counted_from_here<Cost::request_decode>();
  const Asked asked = decode(request);
  os::counted_from_here<Cost::cache_lookup>();
  Cache::Buffer* b;
  while (!(b = cache_.try_obtain(asked.file, asked.block))) co_await cache_.room(asked.file, asked.block);
  os::counted_from_here<Cost::copy>();
  // The one memory-memory copy: from the thread's buffer into the cache.
  os_.charge(Cost::copy);
  os_.charge(Cost::copy_per_byte, request.bytes);
  cache_.prepare_write(*b, request.bytes);
  os_.copied(request.bytes);
  {
    const os::Counted<Cost::copy_per_byte> mark;
    std::memcpy(cache_.data(*b) + asked.offset, request.data, request.bytes);
  }
  cache_.written(*b, asked.offset, request.bytes);
  cache_.unpin(*b);
  os::counted_from_here<Cost::message_send>();
  const hal::Message reply = endpoint_.reply(request.source, asked.reply);
  os_.node().network().release(request);
  co_await os_.send(reply);
}

Server::AskedChunks Server::decode_chunks(const hal::Message& request, bool write) {
  const os::Counted<Cost::request_decode> mark;
  const ChunksRequest& r = messages::Kind<ChunksRequest>::header(request);
  os_.charge(Cost::request_decode);
  const std::uint64_t block = r.run.offset / volume_.block_bytes();
  AskedChunks asked{r.file, block, {}, 0, 0, r.reply};
  if (r.runs == 1) {
    asked.runs.push_back(r.run);
  } else {
    asked.runs.resize(r.runs);
    const std::size_t list_bytes = r.runs * sizeof(messages::Run);
    std::memcpy(asked.runs.data(), request.data + (write ? request.bytes - list_bytes : 0), list_bytes);
  }
  for (messages::Run& run : asked.runs) {
    run.offset -= block * volume_.block_bytes();
    asked.chunks += run.count;
    asked.bytes += run.count * run.bytes;
  }
  return asked;
}

os::Task<> Server::read_chunks(hal::Message& request) {
  os::counted_from_here<Cost::request_decode>();
  const AskedChunks asked = decode_chunks(request, false);
  Cache::Buffer* b;
  while (!(b = cache_.try_obtain(asked.file, asked.block))) co_await cache_.room(asked.file, asked.block);
  // Several chunks are there only if each one is; what lies between them does not matter.
  for (const messages::Run& run : asked.runs) {
    for (std::uint32_t i = 0; i < run.count; ++i) {
      const auto offset = static_cast<std::uint32_t>(run.offset + i * run.stride);
      if (!cache_.valid(*b, offset, run.bytes)) co_await cache_.validate(*b, offset, run.bytes);
    }
  }
  std::byte* data = cache_.data(*b) + asked.runs.front().offset;
  if (asked.chunks > 1) {
    endpoint_.charge_for_pieces(asked.chunks, asked.bytes);
    if (!gathered_) gathered_ = os_.node().allocate(volume_.block_bytes());
    const os::Counted<Cost::piece_copy> mark;
    std::byte* end = data = gathered_;
    for (const messages::Run& run : asked.runs) end = messages::pack(run, cache_.data(*b), end);
  }
  os::counted_from_here<Cost::message_send>();
  const hal::Message reply = endpoint_.reply(request.source, asked.reply, data, asked.bytes);
  os_.node().network().release(request);
  co_await os_.send(reply);  // no other thread runs before the reply has left: all may use one buffer
  os::counted_from_here<Cost::cache_lookup>();
  cache_.unpin(*b);
  if (prefetch_) prefetch(asked.file, volume_.next_on_unit(asked.block));
}

os::Task<> Server::write_chunks(hal::Message& request) {
  os::counted_from_here<Cost::request_decode>();
  const AskedChunks asked = decode_chunks(request, true);
  Cache::Buffer* b;
  while (!(b = cache_.try_obtain(asked.file, asked.block))) co_await cache_.room(asked.file, asked.block);
  os::counted_from_here<Cost::copy>();
  if (asked.chunks > 1) {
    endpoint_.charge_for_pieces(asked.chunks, asked.bytes);
  } else {
    os_.charge(Cost::copy);
    os_.charge(Cost::copy_per_byte, asked.bytes);
    os_.copied(asked.bytes);
  }
  cache_.prepare_write(*b, asked.chunks == 1 ? asked.bytes : 0);
  {
    const os::Counted<Cost::piece_copy> mark;
    const std::byte* from = request.data;
    for (const messages::Run& run : asked.runs) from = messages::unpack(run, from, cache_.data(*b));
  }
  for (const messages::Run& run : asked.runs)
    messages::for_each_piece(run, [&](std::uint64_t offset, std::uint32_t bytes) {
      cache_.written(*b, static_cast<std::uint32_t>(offset), bytes);
    });
  cache_.unpin(*b);
  os::counted_from_here<Cost::message_send>();
  const hal::Message reply = endpoint_.reply(request.source, asked.reply);
  os_.node().network().release(request);
  co_await os_.send(reply);
}

os::Task<> Server::sync(hal::Message& request) {
  co_await cache_.sync();
  const hal::Message reply = endpoint_.reply(request.source, messages::Kind<SyncRequest>::header(request).reply);
  os_.node().network().release(request);
  co_await os_.send(reply);
}

}  // namespace sunstar::io::cached
