// SPDX-License-Identifier: MIT
// The compute processors' side; the I/O processors' is in enwrich_server.cpp.
#include "sw/file_systems/enwrich/enwrich.h"

#include <algorithm>
#include <cstring>

#include "models/core/error.h"
#include "sw/file_systems/enwrich/messages.h"

namespace sunstar::file_systems {

using namespace enwrich_messages;

Enwrich::Client::Client(System& system, std::uint32_t processor)
    : cache(system.params.enwrich, static_cast<std::uint32_t>(system.params.block_size.count)),
      data(system.compute[processor]->node().allocate(cache.data_ring())),
      staging(system.compute[processor]->node().allocate(system.params.block_size.count)),
      opened(system.files.size()),
      wanted(*system.compute[processor], "a reason to flush its cache"),
      all_done(*system.compute[processor], "the I/O processors to end a flush"),
      ended(*system.compute[processor], "the end of a flush") {
  for (std::size_t d = 0; d < system.disks.size(); ++d) reads.emplace_back(*system.compute[processor]);
}

Enwrich::Enwrich(System& system) : system_(system), params_(system.params.enwrich) {}
Enwrich::~Enwrich() = default;

void Enwrich::start() {
  constexpr std::size_t most = 1 << 16;  // an entry has 16 bits for each
  if (system_.files.size() > most || system_.compute.size() > most)
    throw ConfigError("file_system.kind \"enwrich\" numbers files and compute processors with 16 bits; this run has " +
                      std::to_string(system_.files.size()) + " files and " + std::to_string(system_.compute.size()) +
                      " processors.");
  if (losses() && params_.failing_processor >= system_.compute.size())
    throw ConfigError("file_system.enwrich.failing_processor is " + std::to_string(params_.failing_processor) +
                      "; the machine has " + std::to_string(system_.compute.size()) +
                      " compute processors, counted from 0.");
  std::vector<os::Os*> members;
  for (std::uint32_t p = 0; p < system_.compute.size(); ++p) {
    clients_.push_back(std::make_unique<Client>(system_, p));
    install_client(p);
    members.push_back(system_.compute[p]);
  }
  for (std::uint32_t i = 0; i < system_.io.size(); ++i) {
    servers_.push_back(std::make_unique<Server>(system_, i));
    const std::uint64_t most = clients_.front()->cache.most_entries();
    for (auto& directory : servers_[i]->directories)
      directory.memory = system_.io[i]->node().allocate(most * sizeof(DirectoryEntry));
    install_server(i);
  }
  flush_barrier_ = std::make_unique<os::Barrier>(members);
  call_barrier_ = std::make_unique<os::Barrier>(members, call_barrier_handler);
  for (std::uint32_t i = 0; i < system_.io.size(); ++i) system_.io[i]->spawn(serve_flushes(i), "flush");
  for (std::uint32_t p = 0; p < system_.compute.size(); ++p) {
    system_.compute[p]->spawn(flush_thread(p), "flush");
    system_.compute[p]->spawn(compute_main(p), "main");
    if (params_.flush_timeout > Duration{0}) system_.compute[p]->spawn(timeout_thread(p), "flush timer");
  }
  if (losses())
    system_.compute[params_.failing_processor]->after(Time{params_.fails_at},
                                                      [this] { fail(params_.failing_processor); });
}

void Enwrich::install_client(std::uint32_t p) {
  os::Os& os = *system_.compute[p];
  Client& client = *clients_[p];
  os::install_replies(os);
  if (!os.handles(flush_handler))
    os.on_message(flush_handler, os.costs().reply_action, [&os, &client](hal::Message& m) {
      client.requested = std::max(client.requested, m.word[epoch_word]);
      if (m.word[last_word]) client.last = true;
      const Time taken = os.take(m);
      os.node().network().release(m);
      os.after(taken, [&client] { client.wanted.wake_all(); });
    });
  os.on_message(done_handler, os.costs().reply_action, [this, &os, &client](hal::Message& m) {
    const Time taken = os.take(m);
    os.node().network().release(m);
    if (++client.done == system_.io.size()) os.after(taken, [&client] { client.all_done.wake_all(); });
  });
  const Cycles answer = os.costs().remote_memory + os.costs().message_send;
  os.on_message(data_handler, answer, [this, p](hal::Message& m) { answer_data(p, m); });
  os.on_message(gather_handler, answer, [this, p](hal::Message& m) { answer_gather(p, m); });
}

os::Task<> Enwrich::compute_main(std::uint32_t processor) {
  co_await make_calls(system_, *call_barrier_, processor,
                      [this](std::uint32_t p, const workload::Access& a) { return transfer(p, a); });
  if (processor != 0) co_return;
  Client& client = *clients_[0];
  // A flush that runs in the background may have begun before the last writes.
  while (client.requested > client.completed) co_await client.ended.wait();
  co_await begin_flush(0, Reason::end);
  while (client.requested > client.completed) co_await client.ended.wait();
  finished_ = true;
  for (auto& server : servers_)
    for (auto& driver : server->transfers.drivers()) {
      system_.record.disk_reads += driver->reads();
      system_.record.disk_writes += driver->writes();
      system_.record.last_disk_completion = std::max(system_.record.last_disk_completion, driver->last_completion());
    }
  system_.record.finish(system_.compute[0]->now());
}

os::Task<> Enwrich::transfer(std::uint32_t processor, const workload::Access& access) {
  os::Os& os = *system_.compute[processor];
  Client& client = *clients_[processor];
  const Time start = os.now();
  system_.record.first_request = std::min(system_.record.first_request, start);
  os.charge(os.costs().file_call);
  // Not one co_await of a conditional expression: GCC 12 destroys its operand twice.
  if (client.stopped) {
  } else if (access.operation == workload::Operation::write) {
    co_await write(processor, access);
  } else {
    co_await read(processor, access);
  }
  if (client.stopped) {  // before, or meanwhile
    ++losses_.calls;
    losses_.bytes += access.bytes;
    if (access.operation == workload::Operation::write) lose(access.file, access.offset, access.bytes);
    co_return;
  }
  ++system_.record.calls;
  system_.record.bytes += access.bytes;
  system_.record.latencies.push_back(os.now() - start);
}

os::Task<> Enwrich::write(std::uint32_t p, const workload::Access& access) {
  os::Os& os = *system_.compute[p];
  Client& client = *clients_[p];
  client.opened[access.file] = 0;
  for (std::uint64_t offset = access.offset, end = access.offset + access.bytes; offset < end && !client.stopped;) {
    const bool flushing = client.requested > client.completed;
    const WriteCache::Room room = client.cache.room(offset, end - offset);
    if (room.bytes == 0 || (flushing && !params_.background)) {
      if (!flushing) co_await begin_flush(p, room.directory_is_full ? Reason::directory : Reason::data);
      while (client.requested > client.completed) co_await client.ended.wait();
      continue;
    }
    os.charge(os.costs().log_append + os.costs().copy_per_byte * static_cast<double>(room.bytes));
    os.node().copied(room.bytes);
    co_await os.settle();  // the clock that stamps the entry stands still until then
    if (client.stopped) break;
    // A flush may have begun meanwhile; what it takes is fixed later, so the room is still there.
    DirectoryEntry entry{static_cast<std::uint16_t>(p), static_cast<std::uint16_t>(access.file), room.bytes,
                         static_cast<std::uint64_t>(os.now().time_since_epoch().count()), offset};
    entry.time_stamp = client.last_time_stamp = std::max(entry.time_stamp, client.last_time_stamp + 1);
    const WriteCache::Position at = client.cache.append(entry);
    std::memcpy(client.data + at % client.cache.data_ring(),
                system_.memory[p].base + access.memory + (offset - access.offset), room.bytes);
    offset += room.bytes;
    if (client.requested == client.completed) {
      if (params_.background && client.cache.fullness() >= params_.flush_threshold)
        co_await begin_flush(p, Reason::threshold);
      else if (due(client, os.now()))
        co_await begin_flush(p, Reason::timeout);  // the timer's thread has no turn while this one computes
    }
    if (client.requested > client.completed) co_await os.give_way();  // to the thread that flushes
  }
}

os::Task<> Enwrich::read(std::uint32_t p, const workload::Access& access) {
  os::Os& os = *system_.compute[p];
  Client& client = *clients_[p];
  if (params_.flush_on_read && !client.opened[access.file]) {
    client.opened[access.file] = 1;
    if (std::ranges::any_of(system_.workload->files(), [](const auto& f) { return f.written; })) {
      while (client.requested > client.completed) co_await client.ended.wait();
      co_await begin_flush(p, Reason::read);
      while (client.requested > client.completed) co_await client.ended.wait();
    }
  }
  const io::Striping striping = system_.striping();
  for (std::uint64_t offset = access.offset, end = access.offset + access.bytes; offset < end;) {
    const std::uint64_t block = offset / striping.block_bytes;
    const auto bytes = static_cast<std::uint32_t>(std::min(end, (block + 1) * striping.block_bytes) - offset);
    os::ReplyAction& slot = client.reads[striping.disk_of(block)];
    while (slot.outstanding()) co_await slot.arrival();
    os.charge(os.costs().block_request);
    slot.expect(system_.memory[p].base + access.memory + (offset - access.offset));
    hal::Message m;
    m.target = system_.io[system_.disks[striping.disk_of(block)].io_processor]->node().id();
    m.handler = read_handler;
    m.word[file_word] = access.file;
    m.word[read_offset_word] = offset;
    m.word[read_bytes_word] = bytes;
    m.word[5] = os::to_word(&slot);
    co_await os.send(m);
    offset += bytes;
  }
  for (os::ReplyAction& slot : client.reads)
    while (slot.outstanding()) co_await slot.arrival();
}

/// Interrupts everybody, unless a flush is wanted or under way already.
os::Task<> Enwrich::begin_flush(std::uint32_t p, Reason reason) {
  os::Os& os = *system_.compute[p];
  Client& client = *clients_[p];
  if (client.requested > client.completed) co_return;
  const std::uint64_t epoch = ++client.requested;
  ++begun_[static_cast<std::size_t>(reason)];
  client.last = reason == Reason::end;
  client.wanted.wake_all();
  const auto tell = [&](os::Os& other) {
    hal::Message m;
    m.target = other.node().id();
    m.handler = flush_handler;
    m.word[epoch_word] = epoch;
    m.word[last_word] = reason == Reason::end;
    return os.send(m);
  };
  for (std::size_t q = 1; q < system_.compute.size(); ++q)
    co_await tell(*system_.compute[(p + q) % system_.compute.size()]);
  for (os::Os* io : system_.io)
    if (std::ranges::find(system_.compute, io) == system_.compute.end()) co_await tell(*io);
}

os::Task<> Enwrich::flush_thread(std::uint32_t p) {
  os::Os& os = *system_.compute[p];
  Client& client = *clients_[p];
  while (true) {
    while (client.requested == client.completed) co_await client.wanted.wait();
    const Time start = os.now();
    co_await flush_barrier_->wait(p);
    client.cache.begin_flush();
    co_await send_directories(p);
    while (client.done < system_.io.size()) co_await client.all_done.wait();
    client.done = 0;
    client.cache.end_flush();
    ++client.completed;
    client.last_flush = os.now();
    client.ended.wake_all();
    if (client.failing) fail(p);
    if (p == 0) {
      ++flushes_;
      flush_time_ += seconds(os.now() - start);
    }
  }
}

/// To each I/O processor the entries that concern its disks, or that there are none.
os::Task<> Enwrich::send_directories(std::uint32_t p) {
  os::Os& os = *system_.compute[p];
  Client& client = *clients_[p];
  const io::Striping striping = system_.striping();
  std::vector<std::vector<DirectoryEntry>> parts(system_.io.size());
  std::uint64_t looked_at = 0;
  for (std::size_t i = 0; i < client.cache.flushing(); ++i) {
    const DirectoryEntry& entry = client.cache.entry(i);
    ++looked_at;
    const std::uint64_t first = entry.offset / striping.block_bytes,
                        last = (entry.offset + entry.bytes - 1) / striping.block_bytes;
    for (std::uint64_t block = first; block <= last && block < first + striping.disks; ++block) {
      auto& part = parts[system_.disks[striping.disk_of(block)].io_processor];
      if (part.empty() || part.back() != entry) part.push_back(entry);
      ++looked_at;
    }
  }
  os.charge(os.costs().directory_entry * static_cast<double>(looked_at));
  const std::uint64_t most = std::max<std::uint64_t>(system_.params.block_size.count / sizeof(DirectoryEntry), 1);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::size_t i = (k + p) % parts.size();  // not everybody to the same one first
    const auto& part = parts[i];
    std::uint64_t at = 0;
    do {
      const std::uint64_t entries = std::min<std::uint64_t>(most, part.size() - at);
      hal::Message m;
      m.target = system_.io[i]->node().id();
      m.handler = directory_handler;
      m.word[processor_word] = p;
      m.word[total_word] = part.size();
      m.word[first_word] = at;
      m.word[last_flush_word] = client.last;
      m.bytes = static_cast<std::uint32_t>(entries * sizeof(DirectoryEntry));
      if (entries > 0) std::memcpy(client.staging, &part[at], m.bytes);
      m.data = entries > 0 ? client.staging : nullptr;
      co_await os.send(m);
      at += entries;
    } while (at < part.size());
  }
}

const std::byte* Enwrich::cached(const Client& client, std::uint64_t time_stamp, std::uint64_t file_offset) const {
  const auto found = client.cache.find(time_stamp);
  return client.data + found.data % client.cache.data_ring() + (file_offset - found.entry.offset);
}

void Enwrich::answer_data(std::uint32_t p, hal::Message& m) {
  os::Os& os = *system_.compute[p];
  const Client& client = *clients_[p];
  os.charge_handler(os.costs().sort_comparison * log2_of(client.cache.entries()));
  auto* data = const_cast<std::byte*>(cached(client, m.word[time_stamp_word], m.word[file_offset_word]));
  const hal::Message reply = os::reply_to(m, data, static_cast<std::uint32_t>(m.word[bytes_word]));
  const Time taken = os.take(m);
  os.node().network().release(m);
  os.send_at(taken, reply);
}

void Enwrich::answer_gather(std::uint32_t p, hal::Message& m) {
  os::Os& os = *system_.compute[p];
  Client& client = *clients_[p];
  std::uint64_t bytes = 0;
  const std::size_t pieces = m.bytes / sizeof(GatherEntry);
  for (std::size_t i = 0; i < pieces; ++i) {
    GatherEntry wanted;
    std::memcpy(&wanted, m.data + i * sizeof wanted, sizeof wanted);
    std::memcpy(client.staging + bytes, cached(client, wanted.time_stamp, wanted.file_offset), wanted.bytes);
    bytes += wanted.bytes;
  }
  os.charge_handler((os.costs().sort_comparison * log2_of(client.cache.entries()) + os.costs().directory_entry) *
                        static_cast<double>(pieces) +
                    os.costs().copy_per_byte * static_cast<double>(bytes));
  os.node().copied(bytes);
  const hal::Message reply = os::reply_to(m, client.staging, static_cast<std::uint32_t>(bytes));
  const Time taken = os.take(m);
  os.node().network().release(m);
  os.send_at(taken,
             reply);  // the interface takes the data over at once, so the next request may use the staging buffer
}

os::Task<> Enwrich::timeout_thread(std::uint32_t p) {
  os::Os& os = *system_.compute[p];
  Client& client = *clients_[p];
  while (!finished_ && !client.stopped) {
    if (!due(client, os.now())) co_await os.sleep_until(client.last_flush + params_.flush_timeout);
    else if (client.cache.entries() > 0 && client.requested == client.completed)
      co_await begin_flush(p, Reason::timeout);
    else if (client.requested > client.completed) co_await client.ended.wait();
    else co_await os.sleep_until(os.now() + params_.flush_timeout);
  }
}

// An interrupt: whatever the processor is at, it does not go on with it.
void Enwrich::fail(std::uint32_t p) {
  Client& client = *clients_[p];
  client.failing = client.requested > client.completed;  // what is being flushed is on its way out
  if (client.failing) return;
  client.stopped = true;
  for (std::size_t i = 0; i < client.cache.entries(); ++i) {
    const DirectoryEntry& e = client.cache.entry(i);
    losses_.cached_bytes += e.bytes;
    lose(e.file, e.offset, e.bytes);
  }
  client.cache.clear();
}

void Enwrich::lose(std::uint32_t file, std::uint64_t offset, std::uint64_t bytes) {
  losses_.ranges.push_back({file, offset, bytes});
}

void Enwrich::add_statistics(StatisticSet& set) {
  const std::string name = "enwrich.";
  set.counter(name + "flushes", "flushes of all caches", "1", flushes_);
  for (std::size_t r = 0; r < begun_.size(); ++r) {
    static constexpr std::array<const char*, 6> why{
        "a full data section",       "a full directory",  "a cache filled to the threshold", "time",
        "a file opened for reading", "the end of the run"};
    set.counter(name + reason_names[r] + "_flushes",
                std::string("times a processor asked for a flush because of ") + why[r], "1", begun_[r]);
  }
  set.counter(name + "flush_time", "from the beginning to the end of each flush, at compute processor 0", "s",
              flush_time_);
  set.counter(name + "flushed_bytes", "fetched from the caches and written", "B", flushed_bytes_);
  set.counter(name + "flushed_entries", "directory entries, counted at each I/O processor that got them", "1",
              flushed_entries_);
  set.counter(name + "flushed_blocks", "blocks written", "1", flushed_blocks_);
  set.counter(name + "fetched_blocks", "blocks of which the caches did not hold all bytes: read first", "1",
              fetched_blocks_);
}

std::unique_ptr<FileSystem> enwrich(System& system) { return std::make_unique<Enwrich>(system); }

}  // namespace sunstar::file_systems
