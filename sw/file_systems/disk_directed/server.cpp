// SPDX-License-Identifier: MIT
#include "sw/file_systems/disk_directed/server.h"

#include "sw/io/record_sender.h"
#include "sw/messages/piece_transfer.h"

namespace sunstar::file_systems::disk_directed {

using os::Cost;

namespace {

using Pieces = std::vector<requests::Piece>;

/// Moves the blocks of a collective. With `gather`, it packs a block's pieces in buffers of packed_bytes(); `spare`
/// holds the free ones.
class CollectiveMover : public io::BlockMover {
 public:
  void moved(std::uint64_t bytes) override { system_.record.moved(bytes); }
  void left_out(std::uint64_t bytes) override { system_.record.not_moved(bytes); }
  hal::NodeId node(const requests::Piece& piece) const override { return system_.nodes.compute[piece.processor]->id(); }

 protected:
  CollectiveMover(System& system, std::uint32_t io_processor, bool gather, std::vector<std::byte*>& spare)
      : system_(system), endpoint_(system.nodes.io[io_processor].endpoint), gather_(gather), spare_(spare) {}
  ~CollectiveMover() = default;
  std::uint64_t start_of(const io::BlockJob& job) const { return job.block * system_.volume.block_bytes(); }
  std::byte* take_spare() {
    if (spare_.empty()) return endpoint_.os.node().allocate(packed_bytes(system_.volume.block_bytes()));
    return take_last(spare_);
  }

  System& system_;
  messages::Endpoint& endpoint_;
  const bool gather_;
  std::vector<std::byte*>& spare_;
};

/// Finds a block's pieces in a collective's mapping and moves them between the block's buffer and the compute
/// processors: one Memput or Memget each or, with `gather`, one for all pieces of a compute processor.
class Mover final : public CollectiveMover {
 public:
  Mover(System& system, std::uint32_t io_processor, const requests::Transfer& asked, bool gather,
        std::vector<std::byte*>& spare)
      : CollectiveMover(system, io_processor, gather, spare), io_processor_(io_processor), asked_(asked) {}

  std::uint64_t find_pieces(const io::BlockJob& job, Pieces& out) override {
    const os::Counted<Cost::piece> mark;
    asked_.mapping->pieces(start_of(job), system_.volume.bytes_in_block(job.file, job.block), out);
    std::uint64_t covered = 0;
    for (const requests::Piece& piece : out) covered += piece.bytes;
    return covered;
  }

  os::Task<> move(const io::BlockJob& job, const Pieces& pieces, std::byte* buffer,
                  messages::ReplyAction& action) override {
    return gather_ ? move_gathered(job, pieces, buffer, action) : move_each(job, pieces, buffer, action);
  }

 private:
  bool write() const { return asked_.operation == requests::Operation::write; }
  os::Task<> move_each(const io::BlockJob& job, const Pieces& pieces, std::byte* buffer,
                       messages::ReplyAction& action) {
    os::Os& os = endpoint_.os;
    const double dimensions = asked_.mapping->distributed_dimensions();
    const std::uint64_t start = start_of(job);
    const bool writes = asked_.operation == requests::Operation::write;
    // All pieces are under way at once. Each I/O processor begins with a different piece, so that they do not all turn
    // to the same compute processor first.
    std::size_t next = pieces.size() * io_processor_ / system_.nodes.io.size();
    for (std::size_t left = pieces.size(); left > 0; --left) {
      os.charge<Cost::piece>();
      const requests::Piece& piece = pieces[next];
      if (++next == pieces.size()) next = 0;
      os.charge(Cost::piece_dimension, dimensions);
      const std::uint64_t at = piece.file_offset - start;
      const hal::NodeId to = node(piece);
      const auto bytes = static_cast<std::uint32_t>(piece.bytes);
      if (writes) co_await os.send(endpoint_.memget(to, piece.memory_offset, bytes, action.expect(to, buffer, at)));
      else co_await os.send(endpoint_.memput(to, piece.memory_offset, buffer + at, bytes, action.expect(to)));
      co_await os.give_way();  // the other buffers' blocks and the disks do not wait for a thousand sends
    }
    while (action.outstanding()) co_await action.arrival();
  }

  os::Task<> move_gathered(const io::BlockJob& job, const Pieces& pieces, std::byte* buffer,
                           messages::ReplyAction& action) {
    os::Os& os = endpoint_.os;
    std::byte* const packed = take_spare();
    os.charge<Cost::piece>(static_cast<double>(pieces.size()));
    os.charge(Cost::piece_dimension, static_cast<double>(pieces.size() * asked_.mapping->distributed_dimensions()));
    // Here, too, each I/O processor begins with a different compute processor.
    const auto n = static_cast<std::uint32_t>(system_.nodes.compute.size());
    const auto first = static_cast<std::uint32_t>(std::uint64_t{n} * io_processor_ / system_.nodes.io.size());
    messages::PiecesInTurn groups;
    for (const requests::Piece& p : pieces)
      groups[(p.processor + n - first) % n].push_back(
          {p.memory_offset, p.file_offset - start_of(job), static_cast<std::uint32_t>(p.bytes)});
    messages::PieceTransfer transfer(endpoint_, packed, packed_bytes(system_.volume.block_bytes()));
    for (const auto& [steps, group] : groups) {
      const hal::NodeId node = system_.nodes.compute[(first + steps) % n]->id();
      os::counted_from_here<Cost::piece>();
      if (write()) co_await transfer.get(node, group, buffer);
      else co_await transfer.put(node, group, buffer);
      co_await os.give_way();
    }
    const hal::Status status = co_await transfer.end();
    action.note(status);
    spare_.push_back(packed);
  }

  const std::uint32_t io_processor_;
  const requests::Transfer& asked_;
};

/// Sends each record of a block to the compute processor that a selection names.
class RecordMover final : public CollectiveMover {
 public:
  RecordMover(System& system, std::uint32_t io_processor, const requests::Selection& selection, const Params& params,
              std::vector<std::byte*>& spare)
      : CollectiveMover(system, io_processor, params.gather, spare),
        selection_(selection),
        sender_(system.nodes, endpoint_, selection,
                {params.filter_at == FilterAt::io_processor, params.gather,
                 static_cast<std::uint32_t>(system.nodes.compute.size() * io_processor / system.nodes.io.size())}) {}

  /// Finds nothing: where the records go is known when they have been read.
  std::uint64_t find_pieces(const io::BlockJob& job, Pieces&) override {
    return system_.volume.bytes_in_block(job.file, job.block);
  }

  os::Task<> move(const io::BlockJob& job, const Pieces&, std::byte* buffer, messages::ReplyAction& action) override {
    std::byte* const packed = gather_ ? take_spare() : nullptr;
    co_await sender_.send(start_of(job) / selection_.record_bytes, buffer,
                          system_.volume.bytes_in_block(job.file, job.block), packed, action);
    while (action.outstanding()) co_await action.arrival();
    if (gather_) spare_.push_back(packed);
  }

 private:
  const requests::Selection& selection_;
  io::RecordSender sender_;
};

requests::Transfer transfer_of(const hal::Message& request) {
  const os::Counted<Cost::collective_setup> mark;
  requests::Words words(request.bytes / sizeof(std::uint64_t));
  messages::copy_data(request, 0, words.data(), request.bytes);
  return requests::Transfer::of(words);
}

}  // namespace

Server::Server(System& system, const Messages& messages, const Params& params, std::uint32_t io_processor,
               io::BlockGuard* guard)
    : system_(system),
      endpoint_(system.nodes.io[io_processor].endpoint),
      io_processor_(io_processor),
      params_(params),
      transfers_(system.nodes.io[io_processor], system.volume, params, system.record, guard),
      lists_(system, messages.list, endpoint_),
      telling_(endpoint_.os, "a list of failures to leave") {
  messages.collective.starts_thread(endpoint_.os, "collective request", [this](hal::Message& m) { return serve(m); });
  messages.sync.starts_thread(endpoint_.os, "sync request", [this](hal::Message& m) {
    return io::answer_sync(m, system_.nodes.io[io_processor_], system_.volume, system_.record);
  });
}

os::Task<> Server::serve(hal::Message& request) {
  endpoint_.os.charge<Cost::collective_setup>();
  endpoint_.os.charge(Cost::copy_per_byte, request.bytes);
  const auto asked = messages::Kind<CollectiveRequest>::header(request);
  requests::Transfer wanted = transfer_of(request);
  const io::Volume& volume = system_.volume;
  if (wanted.mapping->listed())
    wanted.mapping = co_await lists_.receive(wanted.mapping->file_bytes(), asked.number, asked.processors);
  // The blocks of the request that this node serves.
  auto lists = transfers_.lists();
  for (std::uint32_t u = 0; u < volume.units(); ++u) {
    if (volume.place(u).io_processor != io_processor_) continue;
    const os::Counted<Cost::block_list_entry> mark;
    io::BlockTransfers::List& list = lists[volume.place(u).unit];
    std::uint64_t left = volume.blocks_on(u, volume.file_bytes(wanted.file));
    for (std::uint64_t block = volume.first_on(u); left > 0; --left, block = volume.next_on_unit(block))
      if (wanted.mapping->touches(block * volume.block_bytes(), volume.bytes_in_block(wanted.file, block)))
        list.emplace_back(wanted.file, block);
  }
  transfers_.put_in_order(lists);
  io::BlockTransfers::Transfer transfer(endpoint_.os);
  if (wanted.selection) {
    RecordMover mover(system_, io_processor_, *wanted.selection, params_, spare_);
    transfers_.begin(transfer, std::move(lists), wanted.operation, mover);
    co_await transfer.completed();
  } else {
    Mover mover(system_, io_processor_, wanted, params_.gather, spare_);
    transfers_.begin(transfer, std::move(lists), wanted.operation, mover);
    co_await transfer.completed();
  }
  messages::ReplyTo reply = asked.reply;
  if (transfer.failures().empty()) {
    co_await endpoint_.answer(request, reply);
    co_return;
  }
  reply.status = transfer.failures().back().status;
  const auto guard = co_await telling_.lock();
  const std::uint32_t listed = list_failures(transfer.failures());
  co_await endpoint_.answer(request, reply, told_, listed);
}

std::uint32_t Server::list_failures(const std::vector<requests::Failed>& failures) {
  std::vector<FailedRange> list;
  for (const requests::Failed& f : failures) list.push_back({f.offset, f.bytes});
  std::ranges::sort(list, {}, &FailedRange::offset);
  std::size_t n = 0;
  for (std::size_t i = 1; i < list.size(); ++i) {
    FailedRange& last = list[n];
    if (list[i].offset <= last.offset + last.bytes || (n + 1) * sizeof last == failure_list)
      last.bytes = std::max(last.offset + last.bytes, list[i].offset + list[i].bytes) - last.offset;
    else list[++n] = list[i];
  }
  list.resize(n + 1);
  if (list.size() * sizeof list.front() < failure_list) list.push_back({0, 0});
  const auto bytes = static_cast<std::uint32_t>(list.size() * sizeof list.front());
  if (!told_) told_ = endpoint_.os.node().allocate(failure_list);
  endpoint_.os.memory().put(told_, list.data(), bytes);
  endpoint_.os.charge(Cost::block_list_entry, static_cast<double>(list.size()));
  endpoint_.count_list(bytes);
  return bytes;
}

}  // namespace sunstar::file_systems::disk_directed
