// SPDX-License-Identifier: MIT
#include "sw/file_systems/disk_directed/mover.h"

#include "sw/messages/piece_transfer.h"

namespace sunstar::file_systems::disk_directed {

using os::Cost;

std::uint64_t Mover::find_pieces(const io::BlockJob& job, Pieces& out) {
  const os::Counted<Cost::piece> mark;
  collective_.mapping->pieces(start_of(job), system_.volume.bytes_in_block(job.file, job.block), out);
  std::uint64_t covered = 0;
  for (const workload::Piece& piece : out) covered += piece.bytes;
  return covered;
}

os::Task<> Mover::move(const io::BlockJob& job, const Pieces& pieces, std::byte* buffer,
                       messages::ReplyAction& action) {
  return gather_ ? move_gathered(job, pieces, buffer) : move_each(job, pieces, buffer, action);
}

os::Task<> Mover::move_each(const io::BlockJob& job, const Pieces& pieces, std::byte* buffer,
                            messages::ReplyAction& action) {
  const unsigned dimensions = collective_.mapping->distributed_dimensions();
  // All pieces are under way at once. Each I/O processor begins with a different piece, so that they do not all turn to
  // the same compute processor first.
  std::size_t next = pieces.size() * io_processor_ / system_.nodes.io.size();
  for (std::size_t left = pieces.size(); left > 0; --left) {
    endpoint_.os.charge<Cost::piece>();
    const workload::Piece& piece = pieces[next];
    if (++next == pieces.size()) next = 0;
    endpoint_.os.charge(Cost::piece_dimension, dimensions);
    const std::uint64_t at = piece.file_offset - start_of(job);
    const hal::NodeId to = system_.nodes.compute[piece.processor]->id();
    const auto bytes = static_cast<std::uint32_t>(piece.bytes);
    if (write())
      co_await endpoint_.os.send(endpoint_.memget(to, piece.memory_offset, bytes, action.expect(buffer, at)));
    else co_await endpoint_.os.send(endpoint_.memput(to, piece.memory_offset, buffer + at, bytes, action.expect()));
    system_.job.record.moved(piece.bytes);
    co_await endpoint_.os.give_way();  // the other buffers' blocks and the disks do not wait for a thousand sends
  }
  while (action.outstanding()) co_await action.arrival();
}

os::Task<> Mover::move_gathered(const io::BlockJob& job, const Pieces& pieces, std::byte* buffer) {
  os::Os& os = endpoint_.os;
  const std::uint64_t room = packed_bytes(system_.volume.block_bytes());
  if (spare_.empty()) spare_.push_back(os.node().allocate(room));
  std::byte* const packed = spare_.back();
  spare_.pop_back();
  os.charge<Cost::piece>(static_cast<double>(pieces.size()));
  os.charge(Cost::piece_dimension, static_cast<double>(pieces.size() * collective_.mapping->distributed_dimensions()));
  std::vector<std::vector<messages::MovedPiece>> groups(system_.nodes.compute.size());
  for (const workload::Piece& p : pieces)
    groups[p.processor].push_back(
        {p.memory_offset, p.file_offset - start_of(job), static_cast<std::uint32_t>(p.bytes)});
  messages::PieceTransfer transfer(endpoint_, packed, room);
  // Here, too, each I/O processor begins with a different compute processor.
  std::size_t next = groups.size() * io_processor_ / system_.nodes.io.size();
  for (std::size_t left = groups.size(); left > 0; --left) {
    const auto& group = groups[next];
    const hal::NodeId node = system_.nodes.compute[next]->id();
    if (++next == groups.size()) next = 0;
    if (group.empty()) continue;
    os::counted_from_here<Cost::piece>();
    for (const messages::MovedPiece& piece : group) system_.job.record.moved(piece.bytes);
    if (write()) co_await transfer.get(node, group, buffer);
    else co_await transfer.put(node, group, buffer);
    co_await os.give_way();
  }
  co_await transfer.end();
  spare_.push_back(packed);
}

}  // namespace sunstar::file_systems::disk_directed
