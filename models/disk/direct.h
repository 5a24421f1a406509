// SPDX-License-Identifier: MIT
#pragma once
#include "models/disk/drive.h"

namespace sunstar::disk {

/// The outcome of one request on a drive that has its bus to itself.
struct Completion {
  Time status{};    ///< when the request is reported complete
  Duration bus{0};  ///< time for which its data were on the bus
};

/// Carries out one request from start to end, without kernel and arbitration. `pace`: time a sector takes on the bus; a
/// drive whose interface needs longer, or whose rig does, sets the pace itself.
/// `answered(at, ready, extra)` is called for each answer of the drive: to the call at `at`, for what can happen at
/// `ready`. `extra` is by how much the data before that call took longer than on the bus.
template <class Answered>
Completion complete(Drive& drive, bool write, Time issued, Lbn lbn, std::uint32_t sectors, Duration pace,
                    Answered&& answered) {
  Completion done;
  Drive::Burst burst = write ? drive.write(issued, lbn, sectors) : drive.read(issued, lbn, sectors);
  Duration extra{0};
  for (Time at = issued;;) {
    answered(at, burst.ready, extra);
    const Duration crossing = std::max(pace * burst.sectors, drive.params().crossing(write, burst.sectors));
    extra = crossing - pace * burst.sectors;
    done.bus += crossing;
    at = burst.ready + crossing;
    const Drive::Next next = write ? drive.data_received(at) : drive.sent(at);
    if (!next.burst) {
      answered(at, next.status, extra);
      done.status = next.status;
      return done;
    }
    burst = *next.burst;
  }
}
inline Completion complete(Drive& drive, bool write, Time issued, Lbn lbn, std::uint32_t sectors, Duration pace) {
  return complete(drive, write, issued, lbn, sectors, pace, [](Time, Time, Duration) {});
}

}  // namespace sunstar::disk
