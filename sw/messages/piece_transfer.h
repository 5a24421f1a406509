// SPDX-License-Identifier: MIT
#pragma once
#include "sw/messages/endpoint.h"

namespace sunstar::messages {

/// A piece that moves between a buffer of this node and the buffer that another node offers.
struct MovedPiece {
  std::uint64_t there = 0;  ///< offset in the other node's buffer
  std::uint64_t here = 0;   ///< offset in this node's buffer
  std::uint32_t bytes = 0;
};

/// Pieces by the processor that holds or gets them, in the order in which it has its turn: its key says by how many
/// steps it comes after the first, round all processors. Each node begins with another processor, so that they do not
/// all turn to the same one first. Processors without a piece take no memory.
using PiecesInTurn = boost::container::flat_map<std::uint32_t, std::vector<MovedPiece>>;

/// Moves pieces by Memput and Memget, one message for all pieces of a node. A single piece goes straight from or to its
/// place. Several are packed, or unpacked, by the processor, which is charged for it. A message that would not fit into
/// the buffer for packing becomes two.
class PieceTransfer {
 public:
  /// Packs in `packed`, a buffer of `room` bytes. The bytes fetched before end() and a list of pieces must fit into it.
  PieceTransfer(Endpoint& endpoint, std::byte* packed, std::uint64_t room)
      : endpoint_(endpoint), packed_(packed), room_(room), put_(endpoint), got_(endpoint), got_packed_(endpoint) {}

  /// Sends pieces of `buffer` to node `to`.
  os::Task<> put(hal::NodeId to, std::span<const MovedPiece> pieces, const std::byte* buffer) {
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

  /// Asks node `from` for pieces. They are in `buffer`, the same one for all calls before end(), after end().
  os::Task<> get(hal::NodeId from, std::span<const MovedPiece> pieces, std::byte* buffer) {
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

  /// Waits for all answers, and puts fetched pieces in their places. The status tells if a node is gone: its pieces
  /// must not be used.
  os::Task<hal::Status> end() {
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

 private:
  /// The longest beginning of `pieces` that one message can carry behind `used` bytes of the buffer; fills runs_.
  std::span<const MovedPiece> next_message(std::span<const MovedPiece> pieces, std::uint64_t used) {
    runs_.clear();
    std::size_t n = 0;
    // The first piece always fits. A further one may make the list longer by two entries.
    for (; n < pieces.size(); ++n) {
      if (n > 0 && used + runs_.bytes() + pieces[n].bytes + runs_.list_bytes() + 2 * sizeof(PieceRun) > room_) break;
      runs_.add(pieces[n].there, pieces[n].bytes);
    }
    return pieces.first(n);
  }

  Endpoint& endpoint_;
  std::byte* const packed_;
  const std::uint64_t room_;
  ReplyAction put_, got_, got_packed_;
  Runs runs_;
  struct Fetched {
    std::byte* to;
    std::uint32_t bytes;
  };
  std::vector<Fetched> fetched_;  // what lies packed, in order
  std::uint64_t fetched_bytes_ = 0;
};

}  // namespace sunstar::messages
