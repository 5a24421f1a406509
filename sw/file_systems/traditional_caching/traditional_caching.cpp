// SPDX-License-Identifier: MIT
#include "sw/file_systems/traditional_caching/traditional_caching.h"

#include <algorithm>
#include <cstring>

namespace sunstar::file_systems {

namespace {
enum Handler : std::uint16_t { read_handler = os::first_own_handler, write_handler, sync_handler };

// Words of a read or write request; the last is the address of the reply action.
enum Word { file_word, offset_word, bytes_word, reply_word = 5 };
}  // namespace

TraditionalCaching::Server::Server(System& system, std::uint32_t io_processor)
    : drivers(*system.io[io_processor], system.params.queue_order), cache(system, io_processor, drivers) {}

TraditionalCaching::TraditionalCaching(System& system) : system_(system) {}
TraditionalCaching::~TraditionalCaching() = default;

void TraditionalCaching::start() {
  for (std::uint32_t i = 0; i < system_.io.size(); ++i) {
    os::Os& os = *system_.io[i];
    servers_.push_back(std::make_unique<Server>(system_, i));
    // Each request becomes a thread; the data of a write come along into the thread's buffer.
    const auto thread = [this, i, &os](const char* name, auto body) {
      return [this, i, &os, name, body](hal::Message& m) { os.spawn_at(os.take(m), (this->*body)(i, m), name); };
    };
    os.on_message(read_handler, {}, thread("read request", &TraditionalCaching::serve_read));
    os.on_message(write_handler, {}, thread("write request", &TraditionalCaching::serve_write));
    os.on_message(sync_handler, {}, thread("sync request", &TraditionalCaching::serve_sync));
  }
  std::vector<os::Os*> members;
  for (os::Os* os : system_.compute) {
    os::install_replies(*os);
    members.push_back(os);
    clients_.emplace_back();
    for (std::size_t d = 0; d < system_.disks.size(); ++d) clients_.back().slots.emplace_back(*os);
  }
  barrier_ = std::make_unique<os::Barrier>(members);
  for (std::uint32_t p = 0; p < system_.compute.size(); ++p) system_.compute[p]->spawn(compute_main(p), "main");
}

void TraditionalCaching::add_statistics(StatisticSet& set) {
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    const std::string name = system_.io[i]->node().name() + ".cache.";
    Cache& cache = servers_[i]->cache;
    set.counter(name + "hits", "requests that found their block in the cache, or on its way there", "1", cache.hits);
    set.counter(name + "misses", "requests that took a buffer for their block", "1", cache.misses);
    set.counter(name + "evictions", "buffers whose block made room for another", "1", cache.evictions);
  }
}

os::Task<> TraditionalCaching::compute_main(std::uint32_t processor) {
  co_await make_calls(system_, *barrier_, processor,
                      [this](std::uint32_t p, const workload::Access& a) { return transfer(p, a); });
  if (processor != 0) co_return;
  os::Os& os = *system_.compute[processor];
  // All calls have ended; now wait for write-behind and prefetches.
  std::vector<os::ReplyAction> replies;
  for (std::size_t i = 0; i < system_.io.size(); ++i) replies.emplace_back(os);
  for (std::size_t i = 0; i < system_.io.size(); ++i) {
    replies[i].expect();
    hal::Message m;
    m.target = system_.io[i]->node().id();
    m.handler = sync_handler;
    m.word[reply_word] = os::to_word(&replies[i]);
    co_await os.send(m);
  }
  for (auto& reply : replies)
    while (reply.outstanding()) co_await reply.arrival();
  for (auto& server : servers_)
    for (auto& driver : server->drivers) {
      system_.record.disk_reads += driver->reads();
      system_.record.disk_writes += driver->writes();
      system_.record.last_disk_completion = std::max(system_.record.last_disk_completion, driver->last_completion());
    }
  system_.record.finish(os.now());
}

os::Task<> TraditionalCaching::transfer(std::uint32_t processor, const workload::Access& access) {
  os::Os& os = *system_.compute[processor];
  auto& slots = clients_[processor].slots;
  const io::Striping striping = system_.striping();
  const Time start = os.now();
  system_.record.first_request = std::min(system_.record.first_request, start);
  const bool write = access.operation == workload::Operation::write;
  os.charge(os.costs().file_call);
  const std::uint64_t first_block = access.offset / striping.block_bytes;
  std::uint64_t block = first_block;
  for (std::uint64_t offset = access.offset, end = access.offset + access.bytes; offset < end; ++block) {
    const auto bytes = static_cast<std::uint32_t>(std::min(end, (block + 1) * striping.block_bytes) - offset);
    const std::uint32_t disk = striping.disk_of(block);
    os::ReplyAction& slot = slots[disk];
    while (slot.outstanding()) co_await slot.arrival();
    os.charge(os.costs().block_request);
    std::byte* memory = system_.memory[processor].base + access.memory + (offset - access.offset);
    slot.expect(write ? nullptr : memory);
    hal::Message m;
    m.target = system_.io[system_.disks[disk].io_processor]->node().id();
    m.handler = write ? write_handler : read_handler;
    if (write) {
      m.data = memory;
      m.bytes = bytes;
    }
    m.word[file_word] = access.file;
    m.word[offset_word] = offset;
    m.word[bytes_word] = bytes;
    m.word[reply_word] = os::to_word(&slot);
    co_await os.send(m);
    system_.record.moved(bytes);
    offset += bytes;
  }
  const std::uint64_t used = std::min<std::uint64_t>(block - first_block, striping.disks);
  for (std::uint64_t b = first_block; b < first_block + used; ++b) {
    os::ReplyAction& slot = slots[striping.disk_of(b)];
    while (slot.outstanding()) co_await slot.arrival();
  }
  ++system_.record.calls;
  system_.record.bytes += access.bytes;
  system_.record.latencies.push_back(os.now() - start);
}

os::Task<> TraditionalCaching::serve_read(std::uint32_t io_processor, hal::Message& request) {
  os::Os& os = *system_.io[io_processor];
  Server& server = *servers_[io_processor];
  const auto file = static_cast<std::uint32_t>(request.word[file_word]);
  const std::uint64_t block = request.word[offset_word] / system_.params.block_size.count;
  const auto offset = static_cast<std::uint32_t>(request.word[offset_word] % system_.params.block_size.count);
  const auto bytes = static_cast<std::uint32_t>(request.word[bytes_word]);
  const hal::Message* asked = &request;
  os.charge(os.costs().request_decode);
  Cache::Buffer* b;
  while (!(b = server.cache.try_obtain(file, block))) co_await server.cache.room();
  if (!server.cache.valid(*b, offset, bytes)) co_await server.cache.validate(*b, offset, bytes);
  const hal::Message reply = os::reply_to(*asked, server.cache.data(*b) + offset, bytes);
  os.node().network().release(request);
  co_await os.send(reply);
  server.cache.unpin(*b);
  if (system_.params.cache.prefetch) prefetch(server, file, block + system_.disks.size());
}

void TraditionalCaching::prefetch(Server& server, std::uint32_t file, std::uint64_t block) {
  if (block >= system_.blocks(file)) return;
  if (server.cache.find(file, block)) return;
  if (Cache::Buffer* b = server.cache.try_allocate(file, block)) server.cache.start_read(*b);
}

os::Task<> TraditionalCaching::serve_write(std::uint32_t io_processor, hal::Message& request) {
  os::Os& os = *system_.io[io_processor];
  Server& server = *servers_[io_processor];
  const auto file = static_cast<std::uint32_t>(request.word[file_word]);
  const std::uint64_t block = request.word[offset_word] / system_.params.block_size.count;
  const auto offset = static_cast<std::uint32_t>(request.word[offset_word] % system_.params.block_size.count);
  os.charge(os.costs().request_decode);
  Cache::Buffer* b;
  while (!(b = server.cache.try_obtain(file, block))) co_await server.cache.room();
  // The one memory-memory copy: from the thread's buffer into the cache.
  os.charge(os.costs().copy + os.costs().copy_per_byte * request.bytes);
  os.node().copied(request.bytes);
  std::memcpy(server.cache.data(*b) + offset, request.data, request.bytes);
  server.cache.written(*b, offset, request.bytes);
  server.cache.unpin(*b);
  const hal::Message reply = os::reply_to(request);
  os.node().network().release(request);
  co_await os.send(reply);
}

os::Task<> TraditionalCaching::serve_sync(std::uint32_t io_processor, hal::Message& request) {
  os::Os& os = *system_.io[io_processor];
  co_await servers_[io_processor]->cache.sync();
  const hal::Message reply = os::reply_to(request);
  os.node().network().release(request);
  co_await os.send(reply);
}

std::unique_ptr<FileSystem> traditional_caching(System& system) { return std::make_unique<TraditionalCaching>(system); }

}  // namespace sunstar::file_systems
