// SPDX-License-Identifier: MIT
#include "platforms/disk/array_player.h"

namespace sunstar::disk_platform {

namespace redundant = io::redundant;

/// A request to the array, as the server gets it: a piece for each stripe unit.
struct ArrayPlayer::Piece final : io::DiskRequest {
  explicit Piece(Asked& a) : of(a) {}
  void finished(hal::Status status) override;
  Asked& of;
};
/// A request under way. Of a write, the sectors that it changes in part are read before, one after the other.
struct ArrayPlayer::Asked {
  Asked(ArrayPlayer& p, const Request& request, Pacer& pace, const RequestEnded& e)
      : player(p), pacer(pace), ended(e), outcome{request}, reads(request.write ? request.partial.size() : 0) {}
  ArrayPlayer& player;
  Pacer& pacer;
  const RequestEnded& ended;
  Outcome outcome;
  std::list<Asked>::iterator place;
  std::deque<Piece> pieces;
  std::size_t left = 0, reads;  // pieces under way, and sectors still to be read
};

void ArrayPlayer::Piece::finished(hal::Status status) {
  of.outcome.lost |= status != hal::Status::ok;
  if (--of.left > 0) return;
  if (of.reads > 0 && !of.outcome.lost) {
    --of.reads;
    return of.player.submit(of);
  }
  of.outcome.ended = of.player.host_.node.now();
  of.pacer.ended(of.outcome.request, of.outcome.ended);
  of.ended(of.outcome);
  of.player.requests_.erase(of.place);  // and this piece with it
}

/// Joins commands that the server gives for a job at a time: reads, or writes, on one disk with at most `gap` sectors
/// between them.
class ArrayPlayer::Joining final : public redundant::Drives {
 public:
  Joining(io::DiskDrivers& drivers, std::uint32_t gap) : drivers_(drivers), gap_(gap) {}
  void submit(io::DiskRequest& request) override {
    if (request.synchronise) drivers_.submit(request);
    else waiting_.push_back(&request);
  }
  void submitted_all() override;
  bool to_synchronise(std::uint32_t drive) const override { return drivers_[drive].to_synchronise(); }
  bool lost(std::uint32_t drive) const override { return !drivers_[drive].lost().empty(); }
  io::DiskDriver::Sectors take_lost(std::uint32_t drive) override { return drivers_[drive].take_lost(); }

 private:
  struct Joint final : io::DiskRequest {
    Joint(Joining& j, std::span<io::DiskRequest* const> p) : joining(j), parts(p.begin(), p.end()) {}
    void finished(hal::Status status) override { joining.ended(*this, status); }
    Joining& joining;
    std::vector<io::DiskRequest*> parts;
  };
  void send(io::DiskRequest& request, const io::DiskRequest& part) {
    const auto& job = static_cast<const redundant::Operation&>(part).job;
    if (job.purpose == redundant::Purpose::request) {
      Outcome& outcome = static_cast<Piece&>(*job.wholes.front().request).of.outcome;
      ++(request.write ? outcome.writes : outcome.reads);
    }
    drivers_.submit(request);
  }
  void ended(Joint& joint, hal::Status status);

  io::DiskDrivers& drivers_;
  const std::uint32_t gap_;
  std::vector<io::DiskRequest*> waiting_;
  std::list<Joint> joints_;
};

void ArrayPlayer::Joining::submitted_all() {
  const std::vector<io::DiskRequest*> all = std::exchange(waiting_, {});
  std::vector<io::DiskRequest*> sorted = all;
  std::ranges::stable_sort(sorted, {},
                           [](const io::DiskRequest* r) { return std::tuple(r->write, r->unit, r->sector); });
  for (auto first = sorted.begin(); first != sorted.end();) {
    std::uint64_t end = (*first)->sector + (*first)->sectors;
    auto next = std::next(first);
    for (; next != sorted.end(); ++next) {
      const io::DiskRequest& r = **next;
      if (r.write != (*first)->write || r.unit != (*first)->unit || r.sector > end + gap_) break;
      end = std::max(end, r.sector + r.sectors);
    }
    if (next - first == 1) {
      send(**first, **first);
    } else {
      Joint& joint = joints_.emplace_back(*this, std::span(first, next));
      joint.unit = (*first)->unit;
      joint.write = (*first)->write;
      joint.sector = (*first)->sector;
      joint.sectors = static_cast<std::uint32_t>(end - joint.sector);
      send(joint, **first);
    }
    first = next;
  }
}

/// If a joint read has failed, reads each part by itself.
void ArrayPlayer::Joining::ended(Joint& joint, hal::Status status) {
  for (io::DiskRequest* part : joint.parts)
    if (status == hal::Status::medium_error) send(*part, *part);
    else part->finished(status);
  joints_.remove_if([&](const Joint& j) { return &j == &joint; });
}

namespace {

/// A drive without content, as the array sees it.
class Blank final : public io::RawDisk {
 public:
  using RawDisk::RawDisk;
  void read(std::uint64_t, std::uint32_t, content::Content&) const override {}
  void write(std::uint64_t, const content::Content&) override {}
  void for_each_written(const Visit&) const override {}
};

redundant::Array array_of(const ArrayParams& params, const std::deque<FaultyDrive>& drives) {
  redundant::Common common;
  common.corrections = params.corrections;
  const FaultyDrive& one = drives.front();
  std::vector<std::unique_ptr<io::RawDisk>> blanks;
  for (std::size_t d = 0; d < drives.size(); ++d)
    blanks.push_back(std::make_unique<Blank>("disk", io::DiskShape{one.sectors(), one.sector_bytes()}));
  return {geometry_of(params, one.sector_bytes(), one.sectors()),
          common,
          {rule_of(params), read_copy_of(params), {}, false, params.rows},
          std::move(blanks)};
}

}  // namespace

ArrayPlayer::ArrayPlayer(const MachineParams& machine, std::uint64_t seed)
    : host_(machine, seed),
      array_(array_of(machine.array, host_.drives)),
      server_(host_.os, std::make_unique<Joining>(host_.drivers, machine.array.join_gap), array_, counts_,
              {seed, "machine.array.copies"}),
      unit_on_(host_.drives.size(), 0) {
  if (!machine.array.kind.is<NoArray>())
    for (std::uint32_t d : machine.array.failed) array_.fail(d);
  for (std::uint32_t u = 0; u < array_.units(); ++u) unit_on_[array_.unit_disk(u)] = u;
  server_.when_ended = [](io::DiskRequest& first, const redundant::RowCounts& rows) {
    add_members(static_cast<Piece&>(first).of.outcome.rows, rows);
  };
}

ArrayPlayer::~ArrayPlayer() = default;

void ArrayPlayer::play(Pacer& pacer, const RequestEnded& ended) {
  while (pacer.more() || !requests_.empty()) {
    const Time due = pacer.due();
    if (host_.node.next() < due) {
      host_.node.call_next();
      continue;
    }
    host_.node.run_until(due);
    Asked& asked = requests_.emplace_back(*this, pacer.next(), pacer, ended);
    asked.place = std::prev(requests_.end());
    submit(asked);
  }
}

/// Submits the request, or the read of the next sector that must come before it.
void ArrayPlayer::submit(Asked& asked) {
  const redundant::Geometry& g = array_.geometry();
  const Request& r = asked.outcome.request;
  const bool before = asked.reads > 0;
  const std::uint64_t first = before ? r.partial[r.partial.size() - asked.reads] : r.lbn;
  std::vector<io::DiskRequest*> pieces;
  std::byte* const data =
      host_.node.allocate(std::uint64_t{r.sectors} * array_.sector_bytes());  // zeros, the same for all
  for (const redundant::Part& p :
       redundant::cut(g, first, before ? 1 : r.sectors, [&](auto at) { return g.member_of(at); })) {
    const redundant::Extent at = g.at(p.unit, p.from, p.sectors);
    Piece& piece = asked.pieces.emplace_back(asked);
    piece.unit = unit_on_[at.disk];
    piece.sector = *array_.sector_at(piece.unit, at.sector);
    piece.sectors = at.sectors;
    piece.write = r.write && !before;
    piece.data = {data + std::uint64_t{p.own} * array_.sector_bytes()};
    pieces.push_back(&piece);
  }
  asked.left = pieces.size();
  server_.submit_row(pieces);
}

FaultFigures ArrayPlayer::faults(Time now) {
  FaultFigures all = host_.faults(now);
  all.corrections = counts_.corrections;
  all.drives_failed = counts_.drives_failed;
  return all;
}

}  // namespace sunstar::disk_platform
