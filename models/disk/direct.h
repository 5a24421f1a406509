// SPDX-License-Identifier: MIT
#pragma once
#include "models/disk/drive.h"
#include "models/disk/drive_faults.h"

namespace sunstar::disk {

/// The outcome of one request on a drive that has its bus to itself.
struct Completion {
  enum class How : std::uint8_t {
    ended,      ///< with `key`
    no_answer,  ///< the drive does not answer its selection
    overdue     ///< the request has not ended by the deadline
  };
  Time status{};    ///< when the request is reported complete
  Duration bus{0};  ///< time for which its data were on the bus
  How how = How::ended;
  SenseKey key = SenseKey::none;
  Lbn information = 0;  ///< the first sector in error
  bool moved = true;    ///< the drive has begun to move its data
};

/// Carries out one request from start to end, without kernel and arbitration. `pace`: time a sector takes on the bus; a
/// drive whose interface or rig needs longer sets the pace itself. `answered(at, ready, extra)` is called for each
/// answer of the drive: to the call at `at`, that the next step is possible at `ready`. `extra` is the time of the data
/// before that call beyond the bus's time. With `faults`, these strike the request, which is given up at the deadline.
/// The drive has no content: all its data are zero.
template <class Answered>
Completion complete(Drive& drive, bool write, Time issued, Lbn lbn, std::uint32_t sectors, Duration pace,
                    Answered&& answered, DriveFaults* faults = nullptr, Time deadline = Time::max()) {
  Completion done;
  DriveFaults::Outcome wrong;
  const auto late = [&](Time at, Time ready) {
    if (!faults) return ready;
    return at + picoseconds(static_cast<double>(std::max(ready - at, Duration{}).count()) * wrong.slower) +
           std::exchange(wrong.later, Duration{});
  };
  const auto overdue = [&](Time next) {
    if (!faults || (next <= deadline && !faults->silent(next))) return false;
    done.how = Completion::How::overdue;
    done.status = deadline;
    return true;
  };
  if (faults) {
    done.moved = false;
    if (faults->silent(issued)) {
      done.how = Completion::How::no_answer;
      done.status = issued;
      return done;
    }
    wrong = faults->command(issued, write, true, lbn, sectors, from_seconds(60 / drive.params().rpm));
    done.key = wrong.key;
    done.information = wrong.information;
    if (wrong.key != SenseKey::none) {
      done.moved = wrong.key == SenseKey::medium_error;  // the heads must get there first
      done.status = late(issued, done.moved ? drive.read(issued, wrong.information, 1).ready : issued);
      overdue(done.status);
      return done;
    }
    done.moved = true;
  }
  const std::uint64_t sector = drive.params().sector_size.count;
  std::uint64_t moved = lbn * sector;
  Drive::Burst burst = write ? drive.write(issued, lbn, sectors) : drive.read(issued, lbn, sectors);
  Duration extra{0};
  for (Time at = issued;;) {
    burst.ready = late(at, burst.ready);
    answered(at, burst.ready, extra);
    const Duration crossing = std::max(pace * burst.sectors, drive.params().crossing(write, burst.sectors));
    extra = crossing - pace * burst.sectors;
    if (overdue(burst.ready + crossing)) return done;
    done.bus += crossing;
    at = burst.ready + crossing;
    if (faults) {
      const auto bytes = static_cast<std::uint32_t>(burst.sectors * sector);
      const content::Content zeros(content::Piece{content::Source::zero, bytes, 0});
      if (write) faults->store(at, wrong, moved, zeros);
      else faults->deliver(wrong, moved, zeros);
      moved += bytes;
    }
    const Drive::Next next = write ? drive.data_received(at) : drive.sent(at);
    if (!next.burst) {
      done.status = late(at, next.status);
      answered(at, done.status, extra);
      if (overdue(done.status)) return done;
      if (faults && write) faults->stored_until(done.status, drive.timing().on_medium);
      return done;
    }
    burst = *next.burst;
  }
}
inline Completion complete(Drive& drive, bool write, Time issued, Lbn lbn, std::uint32_t sectors, Duration pace) {
  return complete(drive, write, issued, lbn, sectors, pace, [](Time, Time, Duration) {});
}

}  // namespace sunstar::disk
