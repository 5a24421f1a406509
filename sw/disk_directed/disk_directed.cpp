// SPDX-License-Identifier: MIT
#include "sw/disk_directed/disk_directed.h"

#include <algorithm>
#include <bit>

namespace sunstar::file {

namespace {
enum Handler : std::uint16_t { collective_handler = os::first_own_handler };
enum Word { collective_word, reply_word = 5 };
}  // namespace

/// A disk request that a thread waits for.
struct DiskDirected::Transfer final : DiskRequest {
  explicit Transfer(os::Os& os) : ended(os, "its block on disk") {}
  void finished() override { done = true, ended.wake_all(); }
  os::WaitQueue ended;
  bool done = false;
};

DiskDirected::Server::Server(System& system, std::uint32_t io_processor)
    : drivers(*system.io[io_processor], system.params.queue_order), buffers(drivers.size()) {
  for (auto& of_disk : buffers)
    for (std::uint32_t i = 0; i < system.params.buffers_per_disk; ++i)
      of_disk.push_back(system.io[io_processor]->node().allocate(system.params.block_size.count));
}

DiskDirected::DiskDirected(System& system) : system_(system) {}
DiskDirected::~DiskDirected() = default;

void DiskDirected::start() {
  for (std::uint32_t i = 0; i < system_.io.size(); ++i) {
    os::Os& os = *system_.io[i];
    servers_.push_back(std::make_unique<Server>(system_, i));
    os::install_replies(os);
    os.on_message(collective_handler, {}, [this, i, &os](hal::Message& m) {
      os.spawn_at(os.take(m), serve_collective(i, m), "collective request");
    });
  }
  std::vector<os::Os*> members;
  for (std::uint32_t p = 0; p < system_.compute.size(); ++p) {
    os::Os& os = *system_.compute[p];
    os::install_replies(os);
    os::install_remote_memory(os, system_.memory[p]);
    members.push_back(&os);
  }
  barrier_ = std::make_unique<os::Barrier>(members);
  for (std::uint32_t p = 0; p < system_.compute.size(); ++p) system_.compute[p]->spawn(compute_main(p), "main");
}

os::Task<> DiskDirected::compute_main(std::uint32_t processor) {
  os::Os& os = *system_.compute[processor];
  std::vector<os::ReplyAction> replies;
  for (std::size_t i = 0; i < system_.io.size(); ++i) replies.emplace_back(os);
  const auto& collectives = system_.workload->collectives();
  co_await os.sleep_until(Time{system_.start_skew * processor});
  for (std::uint32_t c = 0; c < collectives.size(); ++c) {
    const Time wanted = std::max(os.now() + collectives[c].think, Time{collectives[c].not_before});
    if (wanted > os.now()) co_await os.sleep_until(wanted);
    const Time start = os.now();
    system_.record.first_request = std::min(system_.record.first_request, start);
    os.charge(os.costs().file_call);
    co_await barrier_->wait(processor);  // all buffers are ready
    if (processor == 0) {
      for (std::size_t i = 0; i < system_.io.size(); ++i) {
        replies[i].expect();
        hal::Message m;
        m.target = system_.io[i]->node().id();
        m.handler = collective_handler;
        m.word[collective_word] = c;
        m.word[reply_word] = os::to_word(&replies[i]);
        co_await os.send(m);
      }
      for (auto& reply : replies)
        while (reply.outstanding()) co_await reply.arrival();
    }
    co_await barrier_->wait(processor);  // all data are there
    if (processor == 0) {
      ++system_.record.calls;
      system_.record.latencies.push_back(os.now() - start);
    }
  }
  if (processor != 0) co_return;
  for (auto& server : servers_)
    for (auto& driver : server->drivers) {
      system_.record.disk_reads += driver->reads();
      system_.record.disk_writes += driver->writes();
      system_.record.last_disk_completion = std::max(system_.record.last_disk_completion, driver->last_completion());
    }
  system_.record.finish(os.now());
}

os::Task<> DiskDirected::serve_collective(std::uint32_t io_processor, hal::Message& request) {
  os::Os& os = *system_.io[io_processor];
  Server& server = *servers_[io_processor];
  const Striping striping = system_.striping();
  Work work;
  work.collective = static_cast<std::uint32_t>(request.word[collective_word]);
  work.lists.resize(server.drivers.size());
  work.written.resize(server.drivers.size());
  work.done = std::make_unique<os::WaitQueue>(os, "the buffer threads of a collective request");
  work.next_turn = std::make_unique<os::WaitQueue>(os, "the block before it in the order of the disk");
  const workload::Collective& collective = system_.workload->collectives()[work.collective];
  os.charge(os.costs().collective_setup);

  // The blocks of the request that lie on this node's disks.
  for (std::uint32_t d = 0; d < system_.disks.size(); ++d) {
    if (system_.disks[d].io_processor != io_processor) continue;
    auto& list = work.lists[system_.disks[d].device];
    for (std::uint64_t block = d; block < system_.blocks(collective.file); block += striping.disks) {
      if (!collective.mapping->touches(block * striping.block_bytes, system_.bytes_in_block(collective.file, block))) continue;
      list.push_back({block, system_.sector_of(collective.file, block), 0});
    }
    os.charge(os.costs().block_list_entry * static_cast<double>(list.size()));
    if (system_.params.presort && list.size() > 1) {
      std::ranges::sort(list, {}, &Entry::sector);
      os.charge(os.costs().sort_comparison * (static_cast<double>(list.size()) * static_cast<double>(std::bit_width(list.size() - 1))));
    }
  }
  for (auto& list : work.lists)
    for (std::uint64_t turn = 0; turn < list.size(); ++turn) list[turn].turn = turn;
  for (std::uint32_t device = 0; device < server.drivers.size(); ++device)
    for (std::byte* buffer : server.buffers[device]) {
      os.charge(os.costs().thread_create);
      ++work.threads;
      os.spawn(buffer_thread(io_processor, work, device, buffer), "buffer");
    }
  while (work.threads > 0) co_await work.done->wait();
  const hal::Message reply = os::reply_to(request);
  os.node().network().release(request);
  co_await os.send(reply);
}

os::Task<> DiskDirected::carry_out(DiskDriver& driver, Transfer& transfer) {
  transfer.done = false;
  driver.submit(transfer);
  while (!transfer.done) co_await transfer.ended.wait();
}

os::Task<> DiskDirected::buffer_thread(std::uint32_t io_processor, Work& work, std::uint32_t device, std::byte* buffer) {
  os::Os& os = *system_.io[io_processor];
  Server& server = *servers_[io_processor];
  auto& list = work.lists[device];
  const workload::Collective& collective = system_.workload->collectives()[work.collective];
  const bool write = collective.operation == workload::Operation::write;
  os::ReplyAction pieces_moved(os);
  std::vector<Piece> pieces;
  Transfer transfer(os);
  while (!list.empty()) {
    const Entry entry = list.front();
    list.pop_front();
    transfer.sector = entry.sector;
    transfer.sectors = system_.sectors_per_block();
    transfer.data = buffer;
    const std::uint32_t block_bytes = system_.bytes_in_block(collective.file, entry.block);
    pieces.clear();
    collective.mapping->pieces(entry.block * system_.params.block_size.count, block_bytes, pieces);
    std::uint64_t covered = 0;
    for (const Piece& piece : pieces) covered += piece.bytes;
    // A block that is only partly written is fetched first, so that the bytes around stay as they were.
    if (!write || covered < block_bytes) {
      transfer.write = false;
      co_await carry_out(server.drivers[device], transfer);
    }
    co_await move_pieces(io_processor, work.collective, entry.block, buffer, pieces_moved, pieces);
    if (write) {
      // The block whose data come first must not overtake: the disk would lose the order that presorting gave it.
      while (work.written[device] != entry.turn) co_await work.next_turn->wait();
      ++work.written[device];
      work.next_turn->wake_all();
      transfer.write = true;
      co_await carry_out(server.drivers[device], transfer);
    }
  }
  if (--work.threads == 0) work.done->wake_all();
}

os::Task<> DiskDirected::move_pieces(std::uint32_t io_processor, std::uint32_t c, std::uint64_t block, std::byte* buffer,
                                     os::ReplyAction& action, const std::vector<Piece>& pieces) {
  os::Os& os = *system_.io[io_processor];
  const workload::Collective& collective = system_.workload->collectives()[c];
  const std::uint64_t block_start = block * system_.params.block_size.count;
  const Cycles mapping = os.costs().piece + os.costs().piece_dimension * collective.mapping->distributed_dimensions();
  // All pieces are under way at once. Every I/O processor begins elsewhere in the block, so that they do not all go to the
  // same compute processor first.
  const std::size_t first = pieces.size() * io_processor / system_.io.size();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[(first + i) % pieces.size()];
    os.charge(mapping);
    std::byte* data = buffer + (piece.file_offset - block_start);
    const hal::NodeId to = system_.compute[piece.processor]->node().id();
    const auto bytes = static_cast<std::uint32_t>(piece.bytes);
    if (collective.operation == workload::Operation::write) {
      action.expect(buffer);
      co_await os.send(os::memget(to, piece.memory_offset, bytes, action, piece.file_offset - block_start));
    } else {
      action.expect();
      co_await os.send(os::memput(to, piece.memory_offset, data, bytes, action));
    }
    system_.record.bytes += piece.bytes;
  }
  while (action.outstanding()) co_await action.arrival();
}

std::unique_ptr<FileSystem> disk_directed(System& system) { return std::make_unique<DiskDirected>(system); }

}  // namespace sunstar::file
