// SPDX-License-Identifier: MIT
#include <algorithm>

#include "sw/file_systems/client_server.h"
#include "sw/file_systems/request_lists.h"
#include "sw/file_systems/two_phase/params.h"
#include "sw/io/cached/client.h"
#include "sw/io/cached/server.h"
#include "sw/io/volume.h"
#include "sw/messages/piece_transfer.h"

namespace sunstar::file_systems::two_phase {

using os::Cost;
using requests::Operation;

/// The messages to the I/O processors, and among the compute processors besides Memput and Memget.
struct Messages : io::cached::Messages {
  using io::cached::Messages::Messages;
  const messages::Kind<ListPart> list{numbers, "list"};
};

namespace {

/// Room for the packed bytes of a round and for a list of its pieces.
std::uint64_t packed_bytes(const Params& params) { return 2 * params.buffer_size.count; }

/// Takes the bytes [from, to) of this node's buffer out of the pieces; returns how many they had of them.
std::uint64_t cut(std::vector<messages::MovedPiece>& pieces, std::uint64_t from, std::uint64_t to) {
  std::vector<messages::MovedPiece> left;
  std::uint64_t taken = 0;
  const auto keep = [&left](const messages::MovedPiece& p, std::uint64_t begin, std::uint64_t end) {
    if (begin < end) left.push_back({p.there + (begin - p.here), begin, static_cast<std::uint32_t>(end - begin)});
  };
  for (const messages::MovedPiece& p : pieces) {
    const std::uint64_t end = p.here + p.bytes;
    keep(p, p.here, std::min(end, from));
    keep(p, std::max(p.here, to), end);
    if (const std::uint64_t begin = std::max(p.here, from), stop = std::min(end, to); begin < stop)
      taken += stop - begin;
  }
  pieces = std::move(left);
  return taken;
}

}  // namespace

/// A compute processor. In a reading collective an aggregator reads its share of the file, a buffer at a time, and puts
/// the pieces into the memories of the processors that want them. In a writing collective it gets the pieces of its
/// share from the processors that have them, and writes them. The other processors only give and take.
class Client : public ComputeProcessor {
 public:
  Client(Run& run, const Messages& messages, const Params& params, workload::Team& team, std::uint32_t processor)
      : ComputeProcessor(run, team, processor),
        params_(params),
        blocks_(run.nodes, run.caller(processor), messages),
        me_(number_of(processor - team.first())),
        share_(me_ ? os_.node().allocate(params.buffer_size.count) : nullptr),
        transfer_(endpoint_, me_ ? os_.node().allocate(packed_bytes(params)) : nullptr, packed_bytes(params)),
        list_sender_(run, messages.list, processor),
        list_receiver_(run, messages.list, endpoint_) {
    endpoint_.offer(memory_, params.buffer_size.count);
  }

  os::Task<> run() {
    return make_collectives(
        [this](const workload::Collective& collective, std::uint32_t number) { return carry_out(collective, number); },
        [this](const workload::Collective& collective, const workload::Gone& gone) {
          return missing(collective, gone);
        });
  }

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

  os::Task<hal::Status> carry_out(const workload::Collective& asked, std::uint32_t number) {
    workload::Collective collective = asked;
    if (asked.mapping->listed()) collective.mapping = co_await exchange_lists(asked, number);
    const io::Volume& volume = run_.volume;
    const std::vector<std::uint64_t> mine = share(collective);
    const std::uint64_t at_a_time = std::max<std::uint64_t>(params_.buffer_size.count / volume.block_bytes(), 1);
    for (std::uint64_t next = 0; next < mine.size();) {
      Round round;
      std::uint64_t at = 0;
      for (std::uint64_t i = 0; i < at_a_time && next < mine.size(); ++i, ++next) {
        const std::uint64_t offset = mine[next] * volume.block_bytes();
        const std::uint64_t bytes = volume.bytes_in_block(collective.file, mine[next]);
        if (!round.runs.empty() && round.runs.back().file_offset + round.runs.back().bytes == offset)
          round.runs.back().bytes += bytes;
        else round.runs.push_back({offset, bytes, at});
        at += bytes;
      }
      find_pieces(collective, round);
      if (collective.operation == Operation::read) co_await read(collective, round);
      else co_await write(collective, round);
    }
    co_return std::exchange(status_, hal::Status::ok);
  }

  /// If only lists say which processor wants what: sends this processor's list to the aggregators that it concerns, and
  /// returns what the others' lists say of its own share.
  os::Task<std::shared_ptr<const requests::Mapping>> exchange_lists(const workload::Collective& collective,
                                                                    std::uint32_t number) {
    const Domains domains = this->domains(collective);
    BlockMovers movers;
    if (me_) movers.self = *me_;
    for (std::uint32_t a = 0; a < aggregators(); ++a)
      movers.nodes.push_back(run_.nodes.compute[team_.first() + member(a)]);
    movers.of = [domains](std::uint64_t block) { return domains.owner(block - domains.first); };
    if (domains.cyclic) movers.turn = domains.n;
    ListReceiver::Own own{processor_};
    co_await list_sender_.send(*collective.mapping, number, movers, &own.list);
    if (!me_) co_return collective.mapping;  // without a share, it needs no other lists
    auto mapping = co_await list_receiver_.receive(collective.mapping->file_bytes(), number, team_.processors(), &own);
    co_return mapping;
  }

  struct Domains : io::Shares {
    std::uint64_t first = 0;  ///< block: no aggregator has earlier ones
  };
  Client::Domains domains(const workload::Collective& collective) const {
    const io::Volume& volume = run_.volume;
    if (params_.share != Share::accessed)
      return {{volume.blocks(collective.file), aggregators(), params_.share == Share::cyclic}};
    const auto range = collective.mapping->extent();
    const std::uint64_t first = range.begin / volume.block_bytes();
    return {{(range.end + volume.block_bytes() - 1) / volume.block_bytes() - first, aggregators()}, first};
  }

  std::uint32_t aggregators() const {
    return params_.aggregators > 0 ? std::min(params_.aggregators, team_.processors()) : team_.processors();
  }
  std::uint32_t member(std::uint64_t aggregator) const {
    return static_cast<std::uint32_t>(aggregator * team_.processors() / aggregators());
  }
  /// The number of an aggregator; nothing if the member is none.
  std::optional<std::uint64_t> number_of(std::uint32_t member) const {
    const std::uint64_t n = team_.processors(), number = (member * std::uint64_t{aggregators()} + n - 1) / n;
    return number < aggregators() && this->member(number) == member ? std::optional(number) : std::nullopt;
  }

  /// The blocks of this processor's share that the collective touches.
  std::vector<std::uint64_t> share(const workload::Collective& collective) const {
    std::vector<std::uint64_t> mine;
    if (!me_) return mine;
    const io::Volume& volume = run_.volume;
    const Domains domains = this->domains(collective);
    {
      const os::Counted<Cost::block_list_entry> mark;
      for (std::uint64_t b = domains.first + domains.begin(*me_), end = domains.first + domains.end(*me_); b < end;
           b += domains.step())
        if (collective.mapping->touches(b * volume.block_bytes(), volume.bytes_in_block(collective.file, b)))
          mine.push_back(b);
    }
    os_.charge(Cost::block_list_entry, static_cast<double>(mine.size()));
    return mine;
  }

  /// Works out which processor holds which pieces of the blocks.
  void find_pieces(const workload::Collective& collective, Round& round) {
    const os::Counted<Cost::piece> mark;
    const std::uint32_t n = team_.processors();
    std::vector<requests::Piece> pieces;
    std::uint64_t count = 0, bytes = 0;
    for (const BlockRun& run : round.runs) {
      pieces.clear();
      collective.mapping->pieces(run.file_offset, run.bytes, pieces);
      count += pieces.size();
      for (const requests::Piece& p : pieces) {
        round.pieces[(p.processor + n - processor_) % n].push_back(
            {p.memory_offset, run.at + (p.file_offset - run.file_offset), static_cast<std::uint32_t>(p.bytes)});
        bytes += p.bytes;
      }
    }
    round.bytes = bytes;
    os_.charge(Cost::piece, static_cast<double>(count));
    os_.charge(Cost::piece_dimension, static_cast<double>(count * collective.mapping->distributed_dimensions()));
  }

  os::Task<> read(const workload::Collective& collective, Round& round) {
    for (const BlockRun& run : round.runs)
      co_await blocks_.move({collective.file, Operation::read, run.file_offset, run.at, run.bytes, {}, {}}, share_);
    leave_out(round);
    move_own(round.pieces[0], false);
    for (const auto& [steps, pieces] : round.pieces) {
      if (steps == 0) continue;
      co_await transfer_.put(run_.nodes.compute[partner(steps)]->id(), pieces, share_);
      co_await os_.give_way();
    }
    const hal::Status sent = co_await transfer_.end();
    if (sent != hal::Status::ok) note_not_passed(collective, round);
  }

  // Bytes that could not be read go to no processor.
  void leave_out(Round& round) {
    std::uint64_t lost = 0;
    for (const requests::Failed& failed : blocks_.take_failures()) {
      status_ = failed.status;
      for (const BlockRun& run : round.runs) {
        const std::uint64_t begin = std::max(failed.offset, run.file_offset);
        const std::uint64_t end = std::min(failed.offset + failed.bytes, run.file_offset + run.bytes);
        if (begin >= end) continue;
        const std::uint64_t from = run.at + (begin - run.file_offset), to = from + (end - begin);
        for (auto& [steps, pieces] : round.pieces) lost += cut(pieces, from, to);
      }
    }
    if (lost > 0) run_.record.not_moved(lost);
    run_.record.moved(round.bytes - lost);
  }

  /// Notes the pieces of processors that are gone: they were not passed on.
  void note_not_passed(const workload::Collective& collective, const Round& round) {
    status_ = hal::Status::no_answer;
    for (const auto& [steps, pieces] : round.pieces) {
      if (steps == 0 || !endpoint_.peers().was_lost(run_.nodes.compute[partner(steps)]->id())) continue;
      for (const messages::MovedPiece& piece : pieces)
        for (const BlockRun& run : round.runs)
          if (piece.here >= run.at && piece.here < run.at + run.bytes)
            run_.record.failed({collective.file, collective.operation, run.file_offset + (piece.here - run.at),
                                piece.bytes, hal::Status::no_answer});
    }
  }

  /// Of a write: the pieces of processors that are gone.
  void leave_gone_out(Round& round) {
    std::uint64_t lost = 0;
    for (auto& [steps, pieces] : round.pieces) {
      if (steps == 0 || !endpoint_.peers().was_lost(run_.nodes.compute[partner(steps)]->id())) continue;
      for (const messages::MovedPiece& piece : pieces) lost += piece.bytes;
      pieces.clear();
    }
    round.bytes -= lost;
    run_.record.not_moved(lost);
  }

  // Shares of aggregators that are gone have not been read or written, or only in part.
  hal::Status missing(const workload::Collective& collective, const workload::Gone& gone) {
    const io::Volume& volume = run_.volume;
    const Domains domains = this->domains(collective);
    for (const std::uint32_t member : gone.members) {
      const auto number = number_of(member);
      if (!number) continue;
      for (std::uint64_t b = domains.first + domains.begin(*number), end = domains.first + domains.end(*number);
           b < end; b += domains.step())
        run_.record.failed({collective.file, collective.operation, b * volume.block_bytes(),
                            volume.bytes_in_block(collective.file, b), hal::Status::no_answer});
    }
    return hal::Status::no_answer;
  }

  os::Task<> write(const workload::Collective& collective, Round& round) {
    for (const auto& [steps, pieces] : round.pieces) {
      if (steps == 0) continue;
      co_await transfer_.get(run_.nodes.compute[partner(steps)]->id(), pieces, share_);
      co_await os_.give_way();
    }
    move_own(round.pieces[0], true);
    const hal::Status fetched = co_await transfer_.end();
    if (fetched != hal::Status::ok) {
      note_not_passed(collective, round);
      leave_gone_out(round);
    }
    run_.record.moved(round.bytes);
    // The bytes that the pieces cover, in as few calls as possible: holes between them stay as they are on disk.
    std::vector<messages::MovedPiece> all;
    for (const auto& [steps, pieces] : round.pieces) all.insert(all.end(), pieces.begin(), pieces.end());
    std::ranges::sort(all, {}, &messages::MovedPiece::here);
    std::size_t i = 0;
    for (const BlockRun& run : round.runs)
      while (i < all.size() && all[i].here < run.at + run.bytes) {
        const std::uint64_t begin = all[i].here;
        std::uint64_t end = begin;
        for (; i < all.size() && all[i].here == end && end < run.at + run.bytes; ++i) end += all[i].bytes;
        co_await blocks_.move(
            {collective.file, Operation::write, run.file_offset + (begin - run.at), begin, end - begin, {}, {}},
            share_);
      }
    for (const requests::Failed& failed : blocks_.take_failures()) status_ = failed.status;
  }

  void move_own(const std::vector<messages::MovedPiece>& pieces, bool write) {
    std::byte* const memory = memory_.base;
    std::uint64_t bytes = 0;
    for (const messages::MovedPiece& piece : pieces) bytes += piece.bytes;
    const auto charged = endpoint_.charge_for_pieces(pieces.size(), bytes);
    for (const messages::MovedPiece& piece : pieces) {
      if (write) messages::copy_piece(os_.memory(), share_ + piece.here, memory + piece.there, piece.bytes);
      else messages::copy_piece(os_.memory(), memory + piece.there, share_ + piece.here, piece.bytes);
    }
  }

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

/// Two-phase I/O over the servers of traditional caching. docs/file-systems/two-phase.md follows a collective.
using TwoPhase = ClientServer<Params, Messages, io::cached::Server, Client>;

std::unique_ptr<FileSystem> make(const Params& params, Run& run) {
  if (params.buffer_size.count < run.volume.block_bytes())
    throw ConfigError("file_system.buffer_size is ", params.buffer_size.count,
                      " bytes; it must be at least file_system.block_size, ", run.volume.block_bytes(), " bytes.");
  if (params.aggregators > run.nodes.compute.size())
    throw ConfigError("file_system.aggregators is ", params.aggregators, "; the workload runs on ",
                      run.nodes.compute.size(), " compute processors, and may have at most as many.");
  return std::make_unique<TwoPhase>(run, params);
}

std::uint64_t memory(const Params& params, const Sizes& sizes) {
  // A node that computes and does I/O has both: the cache; and the share, what is packed here, what others ask for.
  return io::cached::memory(params.cache, sizes.compute_processors, sizes.disks_of_node, sizes.block_bytes) +
         4 * params.buffer_size.count;
}

}  // namespace sunstar::file_systems::two_phase
