// SPDX-License-Identifier: MIT
#include "sw/file_systems/disk_directed/disk_directed.h"

#include <algorithm>

namespace sunstar::file_systems {

namespace {
enum Handler : std::uint16_t { collective_handler = os::first_own_handler };
enum Word { collective_word, reply_word = 5 };
}  // namespace

/// The pieces of one collective, by its mapping.
class DiskDirected::Mover : public io::BlockMover {
 public:
  Mover(System& system, std::uint32_t io_processor, const workload::Collective& collective)
      : system_(system), io_processor_(io_processor), collective_(collective) {}

  std::uint64_t find_pieces(const io::BlockJob& job, std::vector<workload::Piece>& out) override {
    collective_.mapping->pieces(job.block * system_.params.block_size.count,
                                system_.bytes_in_block(job.file, job.block), out);
    std::uint64_t covered = 0;
    for (const workload::Piece& piece : out) covered += piece.bytes;
    return covered;
  }

  os::Task<> move(const io::BlockJob& job, const std::vector<workload::Piece>& pieces, std::byte* buffer,
                  os::ReplyAction& action) override {
    os::Os& os = *system_.io[io_processor_];
    const std::uint64_t block_start = job.block * system_.params.block_size.count;
    const Cycles mapping =
        os.costs().piece + os.costs().piece_dimension * collective_.mapping->distributed_dimensions();
    // All pieces are under way at once. Every I/O processor begins elsewhere in the block, so that they do not all go
    // to the same compute processor first.
    const std::size_t first = pieces.size() * io_processor_ / system_.io.size();
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const workload::Piece& piece = pieces[(first + i) % pieces.size()];
      os.charge(mapping);
      std::byte* data = buffer + (piece.file_offset - block_start);
      const hal::NodeId to = system_.compute[piece.processor]->node().id();
      const auto bytes = static_cast<std::uint32_t>(piece.bytes);
      if (collective_.operation == workload::Operation::write) {
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

 private:
  System& system_;
  std::uint32_t io_processor_;
  const workload::Collective& collective_;
};

DiskDirected::DiskDirected(System& system) : system_(system) {}
DiskDirected::~DiskDirected() = default;

void DiskDirected::start() {
  for (std::uint32_t i = 0; i < system_.io.size(); ++i) {
    os::Os& os = *system_.io[i];
    servers_.push_back(std::make_unique<io::BlockTransfers>(system_, i));
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
    for (auto& driver : server->drivers()) {
      system_.record.disk_reads += driver->reads();
      system_.record.disk_writes += driver->writes();
      system_.record.last_disk_completion = std::max(system_.record.last_disk_completion, driver->last_completion());
    }
  system_.record.finish(os.now());
}

os::Task<> DiskDirected::serve_collective(std::uint32_t io_processor, hal::Message& request) {
  os::Os& os = *system_.io[io_processor];
  io::BlockTransfers& transfers = *servers_[io_processor];
  const auto number = static_cast<std::uint32_t>(request.word[collective_word]);
  const workload::Collective& collective = system_.workload->collectives()[number];
  os.charge(os.costs().collective_setup);
  // The blocks of the request that lie on this node's disks.
  const io::Striping striping = system_.striping();
  auto lists = transfers.lists();
  for (std::uint32_t d = 0; d < system_.disks.size(); ++d) {
    if (system_.disks[d].io_processor != io_processor) continue;
    for (std::uint64_t block = d; block < system_.blocks(collective.file); block += striping.disks)
      if (collective.mapping->touches(block * striping.block_bytes, system_.bytes_in_block(collective.file, block)))
        transfers.add(lists, collective.file, block);
  }
  transfers.put_in_order(lists);
  Mover mover(system_, io_processor, collective);
  transfers.begin(std::move(lists), collective.operation, mover);
  co_await transfers.completed();
  const hal::Message reply = os::reply_to(request);
  os.node().network().release(request);
  co_await os.send(reply);
}

std::unique_ptr<FileSystem> disk_directed(System& system) { return std::make_unique<DiskDirected>(system); }

}  // namespace sunstar::file_systems
