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
inline Completion complete(Drive& drive, bool write, Time issued, Lbn lbn, std::uint32_t sectors, Duration pace) {
  const auto& own = drive.params().interface;
  pace = std::max(pace, write ? own.write_sector : own.read_sector);
  Completion done;
  Drive::Burst burst = write ? drive.write(issued, lbn, sectors) : drive.read(issued, lbn, sectors);
  while (true) {
    const Duration crossing = pace * burst.sectors;
    done.bus += crossing;
    const Drive::Next next = write ? drive.data_received(burst.ready + crossing) : drive.sent(burst.ready + crossing);
    if (!next.burst) {
      done.status = next.status;
      return done;
    }
    burst = *next.burst;
  }
}

}  // namespace sunstar::disk
