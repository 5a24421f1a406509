// SPDX-License-Identifier: MIT
#include "sw/messages/piece_transfer.h"

namespace sunstar::messages {

std::span<const MovedPiece> PieceTransfer::next_message(std::span<const MovedPiece> pieces, std::uint64_t used) {
  runs_.clear();
  std::size_t n = 0;
  // The first piece always fits. A further one may make the list longer by two entries.
  for (; n < pieces.size(); ++n) {
    if (n > 0 && used + runs_.bytes() + pieces[n].bytes + runs_.list_bytes() + 2 * sizeof(PieceRun) > room_) break;
    runs_.add(pieces[n].there, pieces[n].bytes);
  }
  return pieces.first(n);
}

os::Task<> PieceTransfer::put(hal::NodeId to, std::span<const MovedPiece> pieces, const std::byte* buffer) {
  while (!pieces.empty()) {
    const auto together = next_message(pieces, 0);
    pieces = pieces.subspan(together.size());
    if (together.size() == 1) {
      // A message only reads its data.
      auto* const data = const_cast<std::byte*>(buffer + together.front().here);
      co_await endpoint_.os.send(
          endpoint_.memput(to, together.front().there, data, together.front().bytes, put_.expect(to)));
      continue;
    }
    {
      const auto charged = endpoint_.charge_for_pieces(together.size(), runs_.bytes());
      std::byte* end = packed_;
      for (const MovedPiece& piece : together) {
        copy_piece(endpoint_.os.memory(), end, buffer + piece.here, piece.bytes);
        end += piece.bytes;
      }
    }
    co_await endpoint_.os.send(endpoint_.memput(to, runs_, packed_, put_.expect(to)));
  }
}

os::Task<> PieceTransfer::get(hal::NodeId from, std::span<const MovedPiece> pieces, std::byte* buffer) {
  while (!pieces.empty()) {
    const auto together = next_message(pieces, fetched_bytes_);
    pieces = pieces.subspan(together.size());
    if (const MovedPiece& piece = together.front(); together.size() == 1) {
      co_await endpoint_.os.send(
          endpoint_.memget(from, piece.there, piece.bytes, got_.expect(from, buffer, piece.here)));
      continue;
    }
    std::byte* const list = packed_ + fetched_bytes_ + runs_.bytes();
    const ReplyTo reply = got_packed_.expect(from, packed_, fetched_bytes_);
    for (const MovedPiece& piece : together) fetched_.push_back({buffer + piece.here, piece.bytes});
    fetched_bytes_ += runs_.bytes();
    co_await endpoint_.os.send(endpoint_.memget(from, runs_, list, reply));
  }
}

os::Task<hal::Status> PieceTransfer::end() {
  hal::Status status = hal::Status::ok;
  for (ReplyAction* const action : {&put_, &got_, &got_packed_}) {
    while (action->outstanding()) co_await action->arrival();
    if (const hal::Status its = action->take_status(); its != hal::Status::ok) status = its;
  }
  if (fetched_.empty()) co_return status;
  {
    const auto charged = endpoint_.charge_for_pieces(fetched_.size(), fetched_bytes_);
    const std::byte* from = packed_;
    for (const Fetched& piece : fetched_) {
      copy_piece(endpoint_.os.memory(), piece.to, from, piece.bytes);
      from += piece.bytes;
    }
  }
  fetched_.clear();
  fetched_bytes_ = 0;
  co_return status;
}

}  // namespace sunstar::messages
