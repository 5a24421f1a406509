// SPDX-License-Identifier: MIT
#include "models/disk/delays.h"

#include "models/disk/direct.h"
#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::disk;
using namespace sunstar::literals;

namespace {

/// A drive (HP 97560) with its bus to itself, whose requests have trails.
struct Explained {
  Drive drive{DriveParams{}, DriveStart{}};
  Trails trails;
  Delays delays;
  DriveTrail heads;
  Trail trail;

  Explained() {
    drive.note_activity();
    trails.start(Time{});
  }
  /// The trail of a request that is issued when the one before it has ended, and after some thinking.
  void request(bool write, Lbn lbn, Duration think = {}, std::uint32_t sectors = 16) {
    trails.advance(trail, trail.at + think, Stage::application);
    const auto done =
        complete(drive, write, trail.at, lbn, sectors, Bandwidth{10e6}.time_for(512), [&](Time at, Time ready) {
          trails.advance(trail, at, Stage::bus_data);
          auto& notes = drive.activity();
          for (; !notes.empty() && notes.front().at <= at; notes.pop_front()) delays.passed(notes.front());
          delays.until(at);
          heads.answered(trails, trail, delays.explain(drive, at, ready));
          CHECK(trail.at == std::max(at, ready));
        });
    CHECK(trail.at == done.status);
    CHECK(total(trail.spent) == done.status - Time{});
  }
  Duration spent(Stage s) const { return trail.spent[static_cast<std::size_t>(s)]; }
};

}  // namespace

TEST_CASE("a read that needs the heads goes through overhead, seek, rotation, transfer and the bus") {
  Explained host;
  host.request(false, 100'000);
  const RequestTiming& timing = host.drive.timing();
  CHECK(host.spent(Stage::disk_overhead) == timing.overhead);
  CHECK(host.spent(Stage::disk_seek) == timing.seek);
  CHECK(host.spent(Stage::disk_rotation) == timing.rotation);
  CHECK(host.spent(Stage::disk_transfer) == timing.transfer);
  CHECK(host.spent(Stage::bus_data) == 819'200_ns);
}

TEST_CASE("reads that the heads stream are on the heads' trail: neither overhead nor bus add to it") {
  Explained host;
  for (Lbn lbn = 0; lbn < 160; lbn += 16) host.request(false, lbn);
  CHECK(host.spent(Stage::disk_overhead) == 2'200_us);  // of the first
  CHECK(host.spent(Stage::bus_data) == 819'200_ns);     // of the last
  CHECK(host.spent(Stage::disk_transfer) > host.spent(Stage::disk_rotation));
}

TEST_CASE("a read from the buffer is overhead and bus, whatever the heads do meanwhile") {
  Explained host;
  host.request(false, 0);
  const Trail before = host.trail;
  host.request(false, 16, 100_ms);  // read ahead long ago
  CHECK(host.drive.timing().hit);
  CHECK(host.spent(Stage::application) == 100_ms);
  CHECK(host.spent(Stage::disk_overhead) - before.spent[static_cast<std::size_t>(Stage::disk_overhead)] == 2'200_us);
  CHECK(host.spent(Stage::disk_transfer) == before.spent[static_cast<std::size_t>(Stage::disk_transfer)]);
}

TEST_CASE("writes that wait for room are on the trail of the heads that make it") {
  Explained host;
  Lbn lbn = 0;
  for (int i = 0; i < 40; ++i, lbn += 16) host.request(true, lbn);  // five times the write buffer
  CHECK(host.spent(Stage::disk_transfer) > 5 * host.spent(Stage::bus_data));
  CHECK(host.spent(Stage::disk_overhead) < 10_ms);  // not 40 times 2.2 ms
}
