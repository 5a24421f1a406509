// SPDX-License-Identifier: MIT
#include "models/disk/direct.h"
#include "models/disk/on_board_buffer.h"
#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::disk;
using namespace sunstar::literals;

namespace {

/// A drive of round figures: one track a cylinder, 100 sectors of 0.1 ms, every seek 5 ms, a read hit 0.1, a miss 0.3,
/// a write 0.2 ms.
DriveParams round() {
  DriveParams p;
  p.heads = 1;
  p.rpm = 6000;
  p.zones = {Zone{}};
  p.zones[0].cylinders = 1000;
  p.zones[0].sectors_per_track = 100;
  p.zones[0].track_skew = 0;
  p.zones[0].cylinder_skew = 50;
  p.seek = {};
  p.seek.short_constant = p.seek.long_constant = 5_ms;
  p.seek.short_root = p.seek.long_slope = 0_ms;
  p.head_switch = 0_ms;
  p.overheads = {};
  p.overheads.read_hit_after_read = p.overheads.read_hit_after_write = 100_us;
  p.overheads.read_miss_after_read = p.overheads.read_miss_after_write = 300_us;
  p.overheads.write_hit_after_read = p.overheads.write_hit_after_write = 200_us;
  p.overheads.write_miss_after_read = p.overheads.write_miss_after_write = 200_us;
  p.rig = {disk::RigCounts::alone, 50_us, 50_us};
  p.buffer_size = {4 * 50 * 512};
  p.segments = 4;
  p.read_fence = p.write_fence = p.buffer_size;
  p.write_buffer = {50 * 512};
  p.read_watermark = 0;
  p.read_ahead = ReadAhead::off;
  return p;
}

struct Lone {
  Drive drive;
  Time now{};
  explicit Lone(const DriveParams& p) : drive(p, {}) {}
  Duration ask(bool write, Lbn lbn, std::uint32_t n, Duration think = 100_ms) {
    const Time issued = now;
    const auto done = complete(drive, write, issued, lbn, n, 0_ms);
    now = done.status + think;
    return done.status - issued;
  }
  Duration read(Lbn lbn, std::uint32_t n) { return ask(false, lbn, n); }
  Duration write(Lbn lbn, std::uint32_t n) { return ask(true, lbn, n); }
  bool hit() const { return drive.timing().hit; }
};

}  // namespace

TEST_CASE("each segment keeps a run of blocks, and the least recently used one is replaced") {
  Lone d(round());
  for (Lbn lbn : {0, 1000, 2000, 3000}) d.read(lbn, 10);
  CHECK(d.read(0, 10) == 100_us + 10 * 50_us);  // 0.1 ms of controller, 0.5 ms of bus
  CHECK(d.hit());
  d.read(4000, 10);  // takes the place of 1000
  d.read(0, 10);
  CHECK(d.hit());
  d.read(2000, 10);
  CHECK(d.hit());
  d.read(1000, 10);
  CHECK_FALSE(d.hit());
}

TEST_CASE("a read that is partly in a segment waits for the heads only for the rest") {
  Lone d(round());
  d.read(0, 10);
  d.read(1000, 10);
  d.read(5, 10);
  CHECK_FALSE(d.hit());
  CHECK(d.drive.timing().streamed);
  CHECK(d.drive.timing().overhead == 100_us);
  d.read(0, 15);
  CHECK(d.hit());
}

TEST_CASE("written data replaces data read earlier, and serves reads if the parameters allow it") {
  auto p = round();
  Lone d(p);
  d.read(0, 20);
  d.write(30, 5);
  d.read(0, 5);
  CHECK(d.hit());
  // A write into the segment loses all of it, before and behind.
  d.write(5, 5);
  d.read(0, 5);
  CHECK_FALSE(d.hit());
  d.read(10, 5);
  d.write(10, 5);
  d.read(15, 5);
  CHECK_FALSE(d.hit());
  p.reuse_written_data = true;
  Lone keeps(p);
  keeps.write(5, 5);
  CHECK(keeps.read(5, 5) == 350_us);
}

TEST_CASE("data that was sent counts as gone if the parameters forbid its reuse") {
  auto p = round();
  p.reuse_sent_data = false;
  Lone d(p);
  d.read(0, 10);
  d.read(0, 10);
  CHECK_FALSE(d.hit());
}

TEST_CASE("a read is sent as the heads reach its sectors, and no faster than the interface") {
  // Block 0 is under the head at each whole revolution of 10 ms. The arm is there: 0.3 ms of controller, 9.7 ms of
  // rotation; 20 blocks pass in 2 ms. At 0.05 ms a block the bus must not begin before 20 - 0.95 of them have come.
  Lone fast(round());
  CHECK(fast.read(0, 20) == 10_ms + 2_ms + 50_us);
  // At 0.3 ms a block the bus is what counts, from the first block on; from the 15th (three quarters) if the mark says
  // so.
  auto p = round();
  p.rig.read_sector = 300_us;
  Lone slow(p);
  CHECK(slow.read(0, 20) == 10_ms + 100_us + 20 * 300_us);
  p.read_watermark = 0.75;
  Lone marked(p);
  CHECK(marked.read(0, 20) == 10_ms + 1500_us + 20 * 300_us);
  p.read_watermark = 1;
  Lone whole(p);
  CHECK(whole.read(0, 20) == 10_ms + 2_ms + 20 * 300_us);
}

TEST_CASE("the completion of a read takes its time, from the medium and from a segment") {
  auto p = round();
  p.overheads.read_completion = 70_us;
  Lone d(p);
  CHECK(d.read(0, 20) == 10_ms + 2_ms + 50_us + 70_us);
  CHECK(d.read(0, 20) == 100_us + 20 * 50_us + 70_us);
}

TEST_CASE("no burst is longer than the fence of its direction") {
  auto p = round();
  p.read_fence = {10 * 512};
  p.write_fence = {7 * 512};
  Drive drive(p, {});
  CHECK(drive.read(Time{}, 0, 25).sectors == 10);
  CHECK(drive.sent(Time{20_ms}).burst->sectors == 10);
  CHECK(drive.sent(Time{21_ms}).burst->sectors == 5);
  CHECK_FALSE(drive.sent(Time{22_ms}).burst);
  CHECK(drive.write(Time{100_ms}, 500, 16).sectors == 7);
  CHECK(drive.data_received(Time{101_ms}).burst->sectors == 7);
  CHECK(drive.data_received(Time{102_ms}).burst->sectors == 2);
}

TEST_CASE("a write begins when the mark is reached, unless the heads would overtake its data") {
  // Reported from the medium. 0.2 ms of controller, 20 blocks come in 1 ms at 0.05 ms each and pass the head in 2 ms.
  auto p = round();
  p.immediate_reporting = ImmediateReporting::off;
  p.overheads.write_completion = 10_us;
  p.write_watermark = 0;
  // Started at 0 the first block is under the head at 10 ms: in all cases long after the data.
  Lone d(p);
  CHECK(d.write(0, 20) == 12_ms + 10_us);
  // Block 5 is there at 0.5 ms: six blocks (0.3 ms) have come by then, and the rest comes faster than the heads want
  // it.
  Lone early(p);
  CHECK(early.write(5, 20) == 500_us + 2_ms + 10_us);
  // With all of it to be there first, at 1.2 ms, it is a revolution later.
  p.write_watermark = 1;
  Lone late(p);
  CHECK(late.write(5, 20) == 10_ms + 500_us + 2_ms + 10_us);
  // A bus slower than the heads: the 20th block has come at 0.2 + 20 * 0.2 = 4.2 ms, the heads may begin 1.9 ms
  // earlier.
  p.write_watermark = 0;
  p.rig.write_sector = 200_us;
  Lone starved(p);
  CHECK(starved.write(22, 20) == 10_ms + 2200_us + 2_ms + 10_us);
  Lone fed(p);
  CHECK(fed.write(24, 20) == 2400_us + 2_ms + 10_us);
}

TEST_CASE("writes are reported from the buffer always, or only while nothing else is under way") {
  auto p = round();
  p.immediate_reporting = ImmediateReporting::always;
  Lone always(p);
  CHECK(always.ask(true, 0, 10, 0_ms) == 700_us);
  CHECK(always.ask(true, 50'000, 10, 0_ms) == 700_us);
  p.immediate_reporting = ImmediateReporting::empty_or_sequential;
  Lone empty(p);
  CHECK(empty.ask(true, 0, 10, 0_ms) == 700_us);
  CHECK(empty.ask(true, 50'000, 10, 0_ms) > 5_ms);
}

TEST_CASE("overheads depend on what a read finds, on where a write is reported from, and on the previous command") {
  auto p = round();
  p.overheads.read_miss_after_write = 1_ms;
  p.overheads.read_disconnect_after_write = 20_us;
  p.overheads.write_hit_after_write = 400_us;
  p.overheads.write_miss_after_write = 500_us;
  for (const auto reporting : {ImmediateReporting::off, ImmediateReporting::empty_only,
                               ImmediateReporting::empty_or_sequential, ImmediateReporting::always}) {
    p.immediate_reporting = reporting;
    const Duration again = reporting == ImmediateReporting::off ? 500_us : 400_us;
    Lone d(p);
    d.write(0, 10);
    CHECK(d.drive.timing().overhead == 200_us);
    d.write(10, 10);  // what the buffer holds makes no difference
    CHECK(d.drive.timing().overhead == again);
    d.write(5000, 10);
    CHECK(d.drive.timing().overhead == again);
    d.read(9000, 10);  // long after the write has reached the medium
    CHECK(d.drive.timing().overhead == 1020_us);
    d.read(19'000, 10);
    CHECK(d.drive.timing().overhead == 300_us);
  }
}

TEST_CASE("after a pause overheads do not depend on the previous command, if that is described") {
  auto p = round();
  p.immediate_reporting = ImmediateReporting::always;
  p.overheads.pause = 2_ms;
  p.overheads.read_hit_after_pause = 110_us;
  p.overheads.read_miss_after_pause = 310_us;
  p.overheads.write_hit_after_pause = 210_us;
  Lone d(p);
  const auto overhead = [&](bool write, Lbn lbn, Duration think) {
    d.ask(write, lbn, 10, think);
    return d.drive.timing().overhead;
  };
  CHECK(overhead(false, 0, 1999_us) == 300_us);  // the first command
  CHECK(overhead(false, 0, 2_ms) == 100_us);
  CHECK(overhead(false, 0, 2_ms) == 110_us);
  CHECK(overhead(false, 5000, 2_ms) == 310_us);
  CHECK(overhead(true, 0, 0_ms) == 210_us);
  CHECK(overhead(true, 5000, 100_ms) == 200_us);
  CHECK(d.drive.synchronise(d.now) - d.now == 200_us);  // its pause is not described
}

TEST_CASE(
    "a drive that keeps what passes under its heads holds the whole track after a revolution, but not the next track") {
  auto p = round();
  p.buffer_size = {4 * 200 * 512};
  p.read_ahead = ReadAhead::until_track_end;
  p.read_before_request = true;
  Lone d(p);
  d.read(150, 10);
  d.read(100, 10);
  CHECK(d.hit());
  d.read(190, 10);
  CHECK(d.hit());
  d.read(200, 10);
  CHECK_FALSE(d.hit());
  // Disturbed before the heads have come round, it has what passed before the request and what came after it.
  Lone hasty(p);
  hasty.ask(false, 150, 10, 0_ms);  // seek until 5.3 ms, block 103 is under the head then: 103 to 149 pass first
  hasty.ask(false, 50'000, 10, 0_ms);
  hasty.read(110, 10);
  CHECK(hasty.hit());
  hasty.read(100, 2);
  CHECK_FALSE(hasty.hit());
}

TEST_CASE("read-ahead ends where the parameters say") {
  auto p = round();
  p.buffer_size = {4 * 400 * 512};
  const auto last_hit = [&] {
    Lone d(p);
    d.read(0, 10);
    Lbn lbn = 10;
    for (; lbn < 390; ++lbn) {
      Lone fresh(p);
      fresh.read(0, 10);
      fresh.read(lbn, 1);
      if (!fresh.hit()) break;
    }
    return lbn;
  };
  p.read_ahead = ReadAhead::until_track_end;
  CHECK(last_hit() == 100);
  p.read_ahead = ReadAhead::until_next_track_end;
  CHECK(last_hit() == 100);
  p.read_ahead = ReadAhead::until_cylinder_end;
  CHECK(last_hit() == 100);
  p.read_ahead = ReadAhead::until_full;
  p.most_read_ahead = 30;
  CHECK(last_hit() == 40);
  p.read_ahead = ReadAhead::off;
  p.most_read_ahead = 0;
  p.least_read_ahead = 25;
  CHECK(last_hit() == 35);
}

TEST_CASE("a drive that stays ahead of a stream reads a track further once the stream has come from an earlier track") {
  auto p = round();
  p.buffer_size = {4 * 400 * 512};
  p.read_ahead = ReadAhead::until_next_track_end;
  // Reads `reads` of ten blocks each, one after the other from block `first` on; returns the first block not in the
  // buffer after a long pause.
  const auto ahead = [&](Lbn first, unsigned reads) {
    Lbn lbn = first;
    for (;; ++lbn) {
      Lone d(p);
      for (unsigned i = 0; i < reads; ++i) d.read(first + 10 * i, 10);
      if (lbn < first + 10 * reads) continue;
      d.read(lbn, 1);
      if (!d.hit()) return lbn;
    }
  };
  CHECK(ahead(70, 1) == 100);
  CHECK(ahead(70, 2) == 100);
  CHECK(ahead(70, 3) == 300);  // the next block is on the second track: to its end and to that of the third
  CHECK(ahead(90, 1) == 300);
  CHECK(ahead(100, 1) == 200);  // nothing came before
}

TEST_CASE("a drive that reads ahead only for streams does so once a read goes on where an earlier one ended") {
  auto p = round();
  p.read_ahead = ReadAhead::until_track_end;
  p.read_ahead_after = ReadAheadAfter::sequential_read;
  Lone d(p);
  d.read(0, 10);
  d.read(40, 1);
  CHECK_FALSE(d.hit());
  d.read(200, 10);
  d.read(210, 10);
  d.read(220, 10);
  CHECK(d.hit());
  d.read(500, 10);  // other reads between do not end the stream
  d.read(230, 10);
  CHECK(d.hit());
}

TEST_CASE("a drive with tracks of its own says what it leaves to the HP 97560") {
  DriveParams p;
  p.name = "mine";
  CHECK(drive_warnings(p) == std::vector<std::string>{"the drive mine leaves its seeks and controller times to the HP "
                                                      "97560; sunstar new drive makes one from a data sheet"});
  p.seek.short_root = 300_us;
  p.cylinder_skew_time = 4_ms;
  CHECK(drive_warnings(p) == std::vector<std::string>{"the drive mine leaves its controller times to the HP 97560; "
                                                      "sunstar new drive makes one from a data sheet"});
  p.overheads.read_hit_after_read = 1_ms;
  CHECK(drive_warnings(p).empty());
}

TEST_CASE("skews in time keep covering their switches when the spindle turns faster") {
  DriveParams p;  // HP 97560
  CHECK(drive_warnings(p).empty());
  p.rpm = 4500;
  CHECK(drive_warnings(p) ==
        std::vector<std::string>{"on the drive HP 97560 a skew of 8 sectors lasts 1.481 ms and does not cover the head "
                                 "switch of 1.6 ms, so reads lose a revolution there; set track_skew_time to 1.6ms",
                                 "on the drive HP 97560 a skew of 18 sectors lasts 3.333 ms and does not cover the "
                                 "seek to the next cylinder of 3.64 ms, so reads lose a revolution there; set "
                                 "cylinder_skew_time to 3.64ms"});
  const auto whole_cylinders = [](const DriveParams& drive) {
    Lone d(drive);
    return d.read(0, 72 * 19 * 4);
  };
  const Duration slowed = whole_cylinders(p);
  p.track_skew_time = 1600_us;
  p.cylinder_skew_time = 3640_us;
  CHECK(drive_warnings(p).empty());
  CHECK(with_skews_in_sectors(p).zones[0].track_skew == 9);
  CHECK(whole_cylinders(p) < whole_cylinders(DriveParams{}));
  CHECK(slowed > 1.5 * whole_cylinders(p));
}

TEST_CASE(
    "synchronising ends when all written bytes are on the medium, and costs a command if they are there already") {
  auto p = round();
  p.immediate_reporting = ImmediateReporting::always;
  p.overheads.write_miss_after_write = 300_us;
  p.overheads.write_completion = 50_us;
  Lone d(p);
  d.ask(true, 50'000, 10, 0_ms);
  const Time on_medium = d.drive.idle_at();
  CHECK(on_medium > d.now + 5_ms);
  CHECK(d.drive.synchronise(d.now) == on_medium + 50_us);
  CHECK(d.drive.synchronise(on_medium + 1_ms) == on_medium + 1_ms + 350_us);
}
