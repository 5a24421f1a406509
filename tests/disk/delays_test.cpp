// SPDX-License-Identifier: MIT
#include "models/disk/delays.h"

#include "models/disk/direct.h"
#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::disk;
using namespace sunstar::literals;

namespace {

/// A drive (HP 97560) with its bus to itself, whose requests have paths.
struct Explained {
  Drive drive{DriveParams{}, DriveStart{}};
  CriticalPath paths;
  Delays delays;
  DrivePath heads;
  Path path;

  Explained() {
    drive.note_activity();
    paths.start(Time{});
  }
  /// The path of a request that is issued when the one before it has ended, and after some thinking.
  void request(bool write, Lbn lbn, Duration think = {}, std::uint32_t sectors = 16) {
    paths.advance(path, path.at + think, Stage::application);
    const auto done = complete(drive, write, path.at, lbn, sectors, Bandwidth{10e6}.time_for(512),
                               [&](Time at, Time ready, Duration) {
                                 paths.advance(path, at, Stage::bus_data);
                                 auto& notes = drive.activity();
                                 for (; !notes.empty() && notes.front().at <= at; notes.pop_front())
                                   delays.passed(notes.front());
                                 delays.until(at);
                                 heads.answered(paths, path, delays.explain(drive, at, ready));
                                 CHECK(path.at == std::max(at, ready));
                               });
    CHECK(path.at == done.status);
    CHECK(total(path.spent) == done.status - Time{});
  }
  Duration spent(Stage s) const { return path.spent[static_cast<std::size_t>(s)]; }
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

TEST_CASE("reads that the heads stream are on the heads' path: neither overhead nor bus add to it") {
  Explained host;
  for (Lbn lbn = 0; lbn < 160; lbn += 16) host.request(false, lbn);
  CHECK(host.spent(Stage::disk_overhead) == 2'200_us);  // of the first
  CHECK(host.spent(Stage::bus_data) == 819'200_ns);     // of the last
  CHECK(host.spent(Stage::disk_transfer) > host.spent(Stage::disk_rotation));
}

TEST_CASE("a read from the buffer is overhead and bus, even while the heads move") {
  Explained host;
  host.request(false, 0);
  const Path before = host.path;
  host.request(false, 16, 100_ms);  // read ahead long ago
  CHECK(host.drive.timing().hit);
  CHECK(host.spent(Stage::application) == 100_ms);
  CHECK(host.spent(Stage::disk_overhead) - before.spent[static_cast<std::size_t>(Stage::disk_overhead)] == 2'200_us);
  CHECK(host.spent(Stage::disk_transfer) == before.spent[static_cast<std::size_t>(Stage::disk_transfer)]);
}

TEST_CASE("writes that wait for room are on the path of the heads that make it") {
  Explained host;
  Lbn lbn = 0;
  for (int i = 0; i < 40; ++i, lbn += 16) host.request(true, lbn);  // five times the write buffer
  CHECK(host.spent(Stage::disk_transfer) > 5 * host.spent(Stage::bus_data));
  CHECK(host.spent(Stage::disk_overhead) < 10_ms);  // not 40 times 2.2 ms
}
