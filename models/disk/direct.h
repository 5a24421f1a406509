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
/// drive whose interface needs longer sets the pace itself.
/// `answered(at, ready)` is called for each answer of the drive: to the call at `at`, for what can happen at `ready`.
template <class Answered>
Completion complete(Drive& drive, bool write, Time issued, Lbn lbn, std::uint32_t sectors, Duration pace,
                    Answered&& answered) {
  const auto& own = drive.params().interface;
  pace = std::max(pace, write ? own.write_sector : own.read_sector);
  Completion done;
  Drive::Burst burst = write ? drive.write(issued, lbn, sectors) : drive.read(issued, lbn, sectors);
  for (Time at = issued;;) {
    answered(at, burst.ready);
    const Duration crossing = pace * burst.sectors;
    done.bus += crossing;
    at = burst.ready + crossing;
    const Drive::Next next = write ? drive.data_received(at) : drive.sent(at);
    if (!next.burst) {
      answered(at, next.status);
      done.status = next.status;
      return done;
    }
    burst = *next.burst;
  }
}
inline Completion complete(Drive& drive, bool write, Time issued, Lbn lbn, std::uint32_t sectors, Duration pace) {
  return complete(drive, write, issued, lbn, sectors, pace, [](Time, Time) {});
}

}  // namespace sunstar::disk
