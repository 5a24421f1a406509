// SPDX-License-Identifier: MIT
#include "sw/file_systems/disk_directed/server.h"

namespace sunstar::file_systems::disk_directed {

using os::Cost;

Server::Server(System& system, const Messages& messages, const Params& params, std::uint32_t io_processor)
    : system_(system),
      endpoint_(system.nodes.io[io_processor].endpoint),
      io_processor_(io_processor),
      transfers_(system.nodes.io[io_processor], system.volume, params, system.job.record) {
  messages.collective.on_arrival(endpoint_.os, {}, [this](hal::Message& m) {
    const os::Counted<Cost::thread_create> mark;
    endpoint_.os.spawn_at(endpoint_.os.take(m), serve(m), "collective request");
  });
}

/// Finds a block's pieces in the collective's mapping and moves them with Memput and Memget.
class Server::Mover final : public io::BlockMover {
 public:
  Mover(Server& server, const workload::Collective& collective) : server_(server), collective_(collective) {}

  std::uint64_t find_pieces(const io::BlockJob& job, std::vector<workload::Piece>& out) override {
    const os::Counted<Cost::piece> mark;
    const io::Volume& volume = server_.system_.volume;
    collective_.mapping->pieces(job.block * volume.block_bytes(), volume.bytes_in_block(job.file, job.block), out);
    std::uint64_t covered = 0;
    for (const workload::Piece& piece : out) covered += piece.bytes;
    return covered;
  }

  os::Task<> move(const io::BlockJob& job, const std::vector<workload::Piece>& pieces, std::byte* buffer,
                  messages::ReplyAction& action) override {
    os::counted_from_here<Cost::piece>();
    System& system = server_.system_;
    messages::Endpoint& endpoint = server_.endpoint_;
    const std::uint64_t block_start = job.block * system.volume.block_bytes();
    const unsigned dimensions = collective_.mapping->distributed_dimensions();
    // All pieces are under way at once. Each I/O processor begins with a different piece, so that they do not all turn
    // to the same compute processor first.
    std::size_t next = pieces.size() * server_.io_processor_ / system.nodes.io.size();
    for (std::size_t left = pieces.size(); left > 0; --left) {
      os::counted_from_here<Cost::piece>();
      const workload::Piece& piece = pieces[next];
      if (++next == pieces.size()) next = 0;
      endpoint.os.charge(Cost::piece);
      endpoint.os.charge(Cost::piece_dimension, dimensions);
      const std::uint64_t at = piece.file_offset - block_start;
      const hal::NodeId to = system.nodes.compute[piece.processor]->id();
      const auto bytes = static_cast<std::uint32_t>(piece.bytes);
      if (collective_.operation == workload::Operation::write)
        co_await endpoint.os.send(endpoint.memget(to, piece.memory_offset, bytes, action.expect(buffer, at)));
      else co_await endpoint.os.send(endpoint.memput(to, piece.memory_offset, buffer + at, bytes, action.expect()));
      system.job.record.moved(piece.bytes);
      co_await endpoint.os.give_way();  // the other buffers' blocks and the disks do not wait for a thousand sends
    }
    while (action.outstanding()) co_await action.arrival();
  }

 private:
  Server& server_;
  const workload::Collective& collective_;
};

os::Task<> Server::serve(hal::Message& request) {
  os::counted_from_here<Cost::collective_setup>();
  const auto asked = messages::Kind<CollectiveRequest>::header(request);
  const workload::Collective& collective = system_.job.workload->collectives()[asked.collective];
  const io::Volume& volume = system_.volume;
  endpoint_.os.charge(Cost::collective_setup);
  // The blocks of the request that lie on this node's disks.
  auto lists = transfers_.lists();
  for (std::uint32_t d = 0; d < volume.disk_count(); ++d) {
    if (volume.disks()[d].io_processor != io_processor_) continue;
    for (std::uint64_t block = d; block < volume.blocks(collective.file); block += volume.disk_count()) {
      const os::Counted<Cost::block_list_entry> mark;
      if (collective.mapping->touches(block * volume.block_bytes(), volume.bytes_in_block(collective.file, block)))
        transfers_.add(lists, collective.file, block);
    }
  }
  transfers_.put_in_order(lists);
  Mover mover(*this, collective);
  transfers_.begin(std::move(lists), collective.operation, mover);
  co_await transfers_.completed();
  os::counted_from_here<Cost::collective_setup>();
  const hal::Message reply = endpoint_.reply(request.source, asked.reply);
  endpoint_.os.node().network().release(request);
  co_await endpoint_.os.send(reply);
}

}  // namespace sunstar::file_systems::disk_directed
