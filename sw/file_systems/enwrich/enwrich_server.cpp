// SPDX-License-Identifier: MIT
// The I/O processors' side of ENWRICH.
#include <algorithm>
#include <cstring>

#include "sw/file_systems/enwrich/enwrich.h"
#include "sw/file_systems/enwrich/messages.h"

namespace sunstar::file_systems {

using namespace enwrich_messages;

Enwrich::Server::Server(System& system, std::uint32_t io_processor)
    : transfers(system, io_processor),
      directories(system.compute.size()),
      arrived(*system.io[io_processor], "the directories of the compute processors") {}

void Enwrich::install_server(std::uint32_t i) {
  os::Os& os = *system_.io[i];
  Server& server = *servers_[i];
  os::install_replies(os);
  // An I/O processor is told of a flush as everybody is; its flush thread goes by the directories.
  if (!os.handles(flush_handler))
    os.on_message(flush_handler, os.costs().reply_action, [&os](hal::Message& m) {
      os.take(m);
      os.node().network().release(m);
    });
  os.on_message(directory_handler, os.costs().reply_action, [this, i, &os, &server](hal::Message& m) {
    const auto p = static_cast<std::uint32_t>(m.word[processor_word]);
    Server::Directory& directory = server.directories[p];
    directory.announced = true;
    directory.expected = m.word[total_word];
    if (m.word[last_flush_word]) server.last_flush = true;
    const std::uint64_t entries = m.bytes / sizeof(DirectoryEntry);
    const Time there = os.take(m, directory.memory + m.word[first_word] * sizeof(DirectoryEntry));
    os.node().network().release(m);
    os.after(there, [&server, p, entries] {
      Server::Directory& d = server.directories[p];
      d.arrived += entries;
      if (!d.complete()) return;
      server.complete.push_back(p);
      server.arrived.wake_all();
    });
    (void)i;
  });
  os.on_message(read_handler, {},
                [this, i, &os](hal::Message& m) { os.spawn_at(os.take(m), serve_read(i, m), "read request"); });
}

/// The pieces of a flush, by its plan.
class Enwrich::Mover : public io::BlockMover {
 public:
  Mover(Enwrich& enwrich, std::uint32_t io_processor, const FlushPlan& plan)
      : enwrich_(enwrich), io_processor_(io_processor), plan_(plan) {}

  std::uint64_t find_pieces(const io::BlockJob& job, std::vector<workload::Piece>& out) override {
    const std::uint64_t covered = plan_.pieces(job.file, job.block, out);
    if (covered < enwrich_.system_.bytes_in_block(job.file, job.block)) ++enwrich_.fetched_blocks_;
    return covered;
  }

  os::Task<> move(const io::BlockJob& job, const std::vector<workload::Piece>& pieces, std::byte* buffer,
                  os::ReplyAction& action) override {
    for (const workload::Piece& piece : pieces) enwrich_.flushed_bytes_ += piece.bytes;
    return enwrich_.params_.gather ? gather(job, pieces, buffer, action) : ask(job, pieces, buffer, action);
  }

 private:
  os::Os& os() { return *enwrich_.system_.io[io_processor_]; }
  hal::NodeId node(const workload::Piece& piece) { return enwrich_.system_.compute[piece.processor]->node().id(); }
  std::uint64_t start_of(const io::BlockJob& job) const { return job.block * enwrich_.system_.params.block_size.count; }

  os::Task<> ask(const io::BlockJob& job, const std::vector<workload::Piece>& pieces, std::byte* buffer, os::ReplyAction& action) {
    // As in disk-directed I/O: all under way at once, and not everybody at the same compute processor first.
    const std::size_t first = pieces.size() * io_processor_ / enwrich_.system_.io.size();
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const workload::Piece& piece = pieces[(first + i) % pieces.size()];
      os().charge(os().costs().piece);
      hal::Message m;
      m.target = node(piece);
      m.handler = data_handler;
      m.word[time_stamp_word] = piece.memory_offset;
      m.word[file_offset_word] = piece.file_offset;
      m.word[bytes_word] = piece.bytes;
      m.word[4] = piece.file_offset - start_of(job);
      m.word[5] = os::to_word(&action);
      action.expect(buffer);
      co_await os().send(m);
    }
    while (action.outstanding()) co_await action.arrival();
  }

  os::Task<> gather(const io::BlockJob& job, const std::vector<workload::Piece>& pieces, std::byte* buffer, os::ReplyAction& action) {
    std::vector<workload::Piece> by_processor = pieces;
    std::ranges::stable_sort(by_processor, {}, &workload::Piece::processor);
    auto& spare = enwrich_.servers_[io_processor_]->gathered;
    const std::uint64_t block_bytes = enwrich_.system_.params.block_size.count;
    // A list is longer than what it asks for when pieces are short: it may need several messages.
    const std::size_t most = std::max<std::size_t>(block_bytes / sizeof(GatherEntry), 1);
    if (spare.size() < 2)
      for (int i = 0; i < 2; ++i) spare.push_back(os().node().allocate(block_bytes));
    std::byte* const list = spare.back();
    spare.pop_back();
    std::byte* const together = spare.back();
    spare.pop_back();
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < by_processor.size();) {
      std::uint64_t bytes = 0;
      std::size_t n = 0;
      const workload::Piece& first = by_processor[i];
      for (; i < by_processor.size() && by_processor[i].processor == first.processor && n < most; ++i, ++n) {
        const GatherEntry wanted{by_processor[i].memory_offset, by_processor[i].file_offset, by_processor[i].bytes};
        std::memcpy(list + n * sizeof wanted, &wanted, sizeof wanted);
        bytes += wanted.bytes;
      }
      os().charge(os().costs().piece + os().costs().directory_entry * static_cast<double>(n));
      hal::Message m;
      m.target = node(first);
      m.handler = gather_handler;
      m.data = list;
      m.bytes = static_cast<std::uint32_t>(n * sizeof(GatherEntry));
      m.word[4] = at;
      m.word[5] = os::to_word(&action);
      action.expect(together);
      co_await os().send(m);
      at += bytes;
    }
    while (action.outstanding()) co_await action.arrival();
    // Scatter.
    at = 0;
    for (const workload::Piece& piece : by_processor) {
      std::memcpy(buffer + (piece.file_offset - start_of(job)), together + at, piece.bytes);
      at += piece.bytes;
    }
    os().charge(os().costs().copy_per_byte * static_cast<double>(at) +
                os().costs().directory_entry * static_cast<double>(pieces.size()));
    os().node().copied(at);
    spare.push_back(together);
    spare.push_back(list);
  }

  Enwrich& enwrich_;
  std::uint32_t io_processor_;
  const FlushPlan& plan_;
};

os::Task<> Enwrich::serve_flushes(std::uint32_t io_processor) {
  os::Os& os = *system_.io[io_processor];
  Server& server = *servers_[io_processor];
  const std::size_t everybody = system_.compute.size();
  const auto block_bytes = static_cast<std::uint32_t>(system_.params.block_size.count);
  const io::Striping striping = system_.striping();
  const auto sort = [&os](std::span<const DirectoryEntry> entries) {  // natural merges, after one pass to find the runs
    os.charge(os.costs().sort_comparison * (static_cast<double>(entries.size()) * (1 + log2_of(sorted_runs(entries)))));
  };
  while (true) {
    for (std::size_t sorted = 0; sorted < everybody;) {
      while (server.complete.size() <= sorted || (!params_.early_directories && server.complete.size() < everybody))
        co_await server.arrived.wait();
      if (!params_.early_directories) break;
      const Server::Directory& directory = server.directories[server.complete[sorted++]];
      sort({reinterpret_cast<const DirectoryEntry*>(directory.memory), directory.expected});
      co_await os.settle();
    }
    std::vector<DirectoryEntry> entries;
    for (Server::Directory& directory : server.directories) {
      const std::size_t had = entries.size();
      entries.resize(had + directory.expected);
      if (directory.expected > 0)
        std::memcpy(&entries[had], directory.memory, directory.expected * sizeof(DirectoryEntry));
      directory.expected = directory.arrived = 0;
      directory.announced = false;
    }
    server.complete.clear();
    const std::uint64_t n = entries.size();
    flushed_entries_ += n;
    if (params_.early_directories)
      os.charge(os.costs().sort_comparison * (static_cast<double>(n) * log2_of(everybody)));  // a merge
    else sort(entries);
    os.charge(os.costs().collective_setup + os.costs().directory_entry * static_cast<double>(n));
    const FlushPlan plan(std::move(entries), block_bytes, [&](std::uint64_t block) {
      return system_.disks[striping.disk_of(block)].io_processor == io_processor;
    });
    auto lists = server.transfers.lists();
    for (const FlushPlan::Block& block : plan.blocks()) server.transfers.add(lists, block.file, block.block);
    flushed_blocks_ += plan.blocks().size();
    server.transfers.put_in_order(lists);
    Mover mover(*this, io_processor, plan);
    co_await server.transfers
        .completed();  // of the flush before: with `fetched` its last blocks may still be in the buffers
    server.transfers.begin(std::move(lists), workload::Operation::write, mover);
    co_await server.transfers.moved();
    if (params_.done_when == DoneWhen::written || server.last_flush) co_await server.transfers.completed();
    for (std::size_t k = 0; k < everybody; ++k) {
      hal::Message m;
      m.target = system_.compute[(k + io_processor) % everybody]->node().id();
      m.handler = done_handler;
      m.reply = true;  // always taken: whoever waits for it waits for nothing else
      co_await os.send(m);
    }
  }
}

os::Task<> Enwrich::serve_read(std::uint32_t io_processor, hal::Message& request) {
  os::Os& os = *system_.io[io_processor];
  Server& server = *servers_[io_processor];
  const auto file = static_cast<std::uint32_t>(request.word[file_word]);
  const std::uint64_t block = request.word[read_offset_word] / system_.params.block_size.count;
  const auto offset = static_cast<std::uint32_t>(request.word[read_offset_word] % system_.params.block_size.count);
  os.charge(os.costs().request_decode);
  // What the reader's flush has brought may still be in the buffers.
  if (params_.done_when == DoneWhen::fetched) co_await server.transfers.completed();
  if (server.read_buffers.empty()) server.read_buffers.push_back(os.node().allocate(system_.params.block_size.count));
  std::byte* const buffer = server.read_buffers.back();
  server.read_buffers.pop_back();
  io::AwaitedRequest whole(os);
  whole.write = false;
  whole.sector = system_.sector_of(file, block);
  whole.sectors = system_.sectors_per_block();
  whole.data = buffer;
  co_await whole.carry_out(server.transfers.driver(system_.disks[system_.striping().disk_of(block)].device));
  const hal::Message reply =
      os::reply_to(request, buffer + offset, static_cast<std::uint32_t>(request.word[read_bytes_word]));
  os.node().network().release(request);
  co_await os.send(reply);
  server.read_buffers.push_back(buffer);
}

}  // namespace sunstar::file_systems
