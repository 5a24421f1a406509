// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "sw/file_systems/client_server.h"
#include "sw/file_systems/request_lists.h"
#include "sw/file_systems/two_phase/params.h"
#include "sw/io/cached/client.h"
#include "sw/io/shares.h"
#include "sw/messages/piece_transfer.h"

namespace sunstar::file_systems::two_phase {

/// The messages to the I/O processors, and among the compute processors besides Memput and Memget.
struct Messages : io::cached::Messages {
  using io::cached::Messages::Messages;
  const messages::Kind<ListPart> list{numbers, "list"};
};

/// A compute processor. In a reading collective an aggregator reads its share of the file, as much at a time as its
/// buffer holds, and puts the pieces into the memories of those who want them. In a writing collective it gets the
/// pieces of its share from those who have them, and writes them. The others only give and take.
class Client : public ComputeProcessor {
 public:
  Client(Run& run, const Messages& messages, const Params& params, workload::Team& team, std::uint32_t processor);

  os::Task<> run();
  os::Task<> sync() { return blocks_.sync(); }

 private:
  /// The blocks of one round: a run of them lies contiguously in the file and in the buffer.
  struct BlockRun {
    std::uint64_t file_offset, bytes, at;
  };
  struct Round {
    std::vector<BlockRun> runs;
    std::uint64_t bytes = 0;        ///< of all pieces
    messages::PiecesInTurn pieces;  ///< this processor's first, then its neighbour's, and so on (partner())
  };

  os::Task<hal::Status> carry_out(const workload::Collective& asked, std::uint32_t number);
  /// If only lists say who wants what: sends this processor's to those whose shares it concerns, and gives what the
  /// others' say of its own share.
  os::Task<std::shared_ptr<const requests::Mapping>> exchange_lists(const workload::Collective& collective,
                                                                    std::uint32_t number);
  /// The blocks of a file that the aggregators share.
  struct Domains : io::Shares {
    std::uint64_t first = 0;  ///< block: what lies before it is nobody's
  };
  Domains domains(const workload::Collective& collective) const;
  std::uint32_t aggregators() const {
    return params_.aggregators > 0 ? std::min(params_.aggregators, team_.processors()) : team_.processors();
  }
  /// The member of the team that is the aggregator of that number.
  std::uint32_t member(std::uint64_t aggregator) const {
    return static_cast<std::uint32_t>(aggregator * team_.processors() / aggregators());
  }
  /// The number of an aggregator; nothing if the member is none.
  std::optional<std::uint64_t> number_of(std::uint32_t member) const;
  /// The blocks of this processor's share that the collective touches.
  std::vector<std::uint64_t> share(const workload::Collective& collective) const;
  /// Works out who holds which pieces of the blocks.
  void find_pieces(const workload::Collective& collective, Round& round);
  os::Task<> read(const workload::Collective& collective, Round& round);
  void leave_out(Round& round);
  /// The pieces that have not gone to their processors, or come from them: these are gone for this one.
  void note_not_passed(const workload::Collective& collective, const Round& round);
  /// Of a write: the pieces of processors that are gone.
  void leave_gone_out(Round& round);
  hal::Status missing(const workload::Collective& collective, const workload::Gone& gone);
  os::Task<> write(const workload::Collective& collective, Round& round);
  /// Moves pieces between the share's buffer and this processor's own memory.
  void move_own(const std::vector<messages::MovedPiece>& pieces, bool write);
  /// The processor of the team that is `steps` further, around the end.
  std::uint32_t partner(std::uint32_t steps) const {
    return team_.first() + (processor_ - team_.first() + steps) % team_.processors();
  }

  const Params& params_;
  io::cached::Client blocks_;
  std::optional<std::uint64_t> me_;       // as an aggregator
  std::byte* share_;                      // the buffer for the share; of an aggregator
  hal::Status status_ = hal::Status::ok;  // of the collective under way
  messages::PieceTransfer transfer_;
  ListSender list_sender_;
  ListReceiver list_receiver_;
};

}  // namespace sunstar::file_systems::two_phase
