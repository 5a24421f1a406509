// SPDX-License-Identifier: MIT
#include "models/disk/drive.h"

#include <algorithm>
#include <vector>

#include "models/core/error.h"
#include "models/core/random.h"
#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::disk;
using namespace sunstar::literals;

namespace {

const Duration R{14992503748};  // a revolution at 4002 rpm
constexpr Duration bus_time_of_8k = 819200_ns;
// What the host, the bus's phases and messages add between two commands of a drive.
constexpr Duration turnaround = 100_us;

Duration slots(std::int64_t n) { return R * n / 72; }
double ms(Duration d) { return seconds(d) * 1e3; }
/// Equal but for the rounding of sums of slots to picoseconds.
bool same(Time a, Time b) { return std::chrono::abs(a - b) <= 5_ps; }

/// A host that gives one command after the other.
struct Host {
  Drive drive;
  Time now{};
  Duration byte = 100_ns;  // on the bus
  explicit Host(const DriveParams& params = {}, const DriveStart& start = {}) : drive(params, start) {}

  /// Returns when the last of the data has crossed the bus.
  Time read(Lbn lbn, std::uint32_t sectors = 16) {
    now += turnaround;
    for (std::optional<Drive::Burst> b = drive.read(now, lbn, sectors); b; b = drive.sent(now).burst)
      now = b->ready + byte * b->sectors * 512;
    return now;
  }
  /// Returns when the write has been reported.
  Time write(Lbn lbn, std::uint32_t sectors = 16) {
    now += turnaround;
    Drive::Burst b = drive.write(now, lbn, sectors);
    while (true) {
      now = b.ready + byte * b.sectors * 512;
      const auto next = drive.data_received(now);
      if (!next.burst) return now = next.status;
      b = *next.burst;
    }
  }
};

DriveParams with(auto change) {
  DriveParams p;
  change(p);
  return p;
}

}  // namespace

TEST_CASE("a read takes overhead, seek, rotation and transfer, each worked out by hand") {
  // From cylinder 0, head 0 to block 0 on track 1:4: 2.2 ms overhead; seek over one cylinder 3.24 + 0.40 = 3.64 ms;
  // the heads are there at 5.84 ms; the block is at slot 50 (see the geometry tests): 10.411 ms; 16 slots: 3.332 ms.
  Drive drive(DriveParams{}, {});
  const auto burst = drive.read(Time{}, 0, 16);
  CHECK(drive.timing().overhead == 2200_us);
  CHECK(drive.timing().seek == 3640_us);
  CHECK(drive.timing().rotation == slots(50) - 5840_us);
  CHECK(drive.timing().transfer == slots(16));
  CHECK(drive.timing().wait == 0_us);
  CHECK_FALSE(drive.timing().hit);
  CHECK(burst.ready == Time{slots(50) + slots(16)});
  CHECK(burst.sectors == 16);
}

TEST_CASE("a read that continues the last one streams from the buffer") {
  Drive drive(DriveParams{}, {});
  const Time ready = drive.read(Time{}, 0, 16).ready;
  const Time sent = ready + bus_time_of_8k;
  CHECK_FALSE(drive.sent(sent).burst);
  // Decoded 0.819 + 0.1 + 2.2 = 3.119 ms after the first read's last sector: 14 sectors further, not yet 16.
  const Time command = sent + turnaround;
  CHECK(same(drive.read(command, 16, 16).ready, ready + slots(16)));
  CHECK(drive.timing().streamed);
  CHECK_FALSE(drive.timing().hit);
  drive.sent(ready + slots(16) + bus_time_of_8k);
  // A later one finds its blocks in the buffer when it is decoded.
  const Time late = ready + 20_ms;
  CHECK(drive.read(late, 32, 16).ready == late + 2200_us);
  CHECK(drive.timing().hit);
}

TEST_CASE("without read-ahead a read that continues the last one waits for a revolution") {
  Host host(with([](auto& p) { p.read_ahead = ReadAhead::off; }));
  const Time end_of_first = host.read(0) - bus_time_of_8k;
  const Time end_of_second = host.read(16) - bus_time_of_8k;
  CHECK(same(end_of_second, end_of_first + R + slots(16)));
  CHECK(host.drive.timing().streamed == false);
}

TEST_CASE("read-ahead stops when the buffer is full of unsent blocks, and goes on when some have been sent") {
  Host host;
  host.read(0);
  host.now += 1000_ms;
  const Time asleep = host.now;
  // 256 sectors lie in the buffer: blocks 16 to 271.
  for (Lbn lbn = 16; lbn < 272; lbn += 16) {
    host.read(lbn);
    REQUIRE(host.drive.timing().hit);
  }
  // 16 hits of 0.1 + 2.2 + 0.8192 ms; the heads have gone on since the first of them, at most a revolution late, so the
  // next is in the buffer or coming: no miss.
  CHECK(host.now - asleep == 16 * (turnaround + 2200_us + bus_time_of_8k));
  host.read(272);
  CHECK(host.drive.timing().hit);
}

TEST_CASE("a read just beyond what has been read ahead is a miss, unless the window lets it wait") {
  for (std::uint32_t window : {0u, 64u}) {
    Host host(with([&](auto& p) { p.stream_window = window; }));
    host.read(0);
    const Time end_of_first = host.now - bus_time_of_8k;
    host.read(48);  // decoded 3.119 ms = 14 sectors after the end of the first
    CHECK(host.drive.timing().streamed == (window == 64));
    // Either way the heads read block 48 the next time it comes by: 32 + 16 sectors after the first one's end (72 a
    // track, the 73rd sector is on the next track; 50 + 64 slots).
    CHECK(same(host.now - bus_time_of_8k, end_of_first + slots(48)));
  }
}

TEST_CASE("a faster bus may slow reads out of order: reads that skip a block catch up with read-ahead") {
  const auto time_of = [](Duration byte, std::uint32_t window) {
    Host host(with([&](auto& p) { p.stream_window = window; }));
    host.byte = byte;
    for (Lbn block = 0; block < 8; ++block) host.read(16 * block);
    for (Lbn four = 8; four < 24; four += 4)
      for (const Lbn block : {1, 0, 3, 2}) host.read(16 * (four + block));
    return host.now.time_since_epoch();
  };
  // 200 ns a byte give the heads time for the block that is skipped. 100 ns do not, unless such a read may wait.
  CHECK(time_of(100_ns, 0) > time_of(200_ns, 0) + 7 * R);
  CHECK(time_of(100_ns, 16) < time_of(200_ns, 16));
}

TEST_CASE("blocks that were sent can be read again until others take their room, unless the drive forgets them") {
  for (bool reuse : {true, false}) {
    Host host(with([&](auto& p) { p.reuse_sent_data = reuse; }));
    host.read(0);
    host.read(0);
    CHECK(host.drive.timing().hit == reuse);
  }
  Host host;
  host.read(0);
  host.now += 1000_ms;  // blocks 16 to 271 fill the buffer
  host.read(0);
  CHECK_FALSE(host.drive.timing().hit);
}

TEST_CASE("read-ahead ends at the end of the track or cylinder if the parameters say so") {
  for (auto [policy, last] :
       {std::pair{ReadAhead::until_track_end, Lbn{71}}, {ReadAhead::until_cylinder_end, Lbn{255}}}) {
    Host host(with([&policy = policy](auto& p) { p.read_ahead = policy; }));
    host.read(0);
    host.now += 1000_ms;
    host.read(last, 1);
    CHECK(host.drive.timing().hit);
  }
  Host host(with([&](auto& p) { p.read_ahead = ReadAhead::until_track_end; }));
  host.read(0);
  host.now += 1000_ms;
  host.read(72, 1);  // the stream starts again there: the head switch and the rest of a revolution
  CHECK_FALSE(host.drive.timing().hit);
  CHECK(host.drive.timing().rotation > 1600_us);
}

TEST_CASE("a hit ends read-ahead only if every command does") {
  // Three reads: 0-15; then, 10 ms later, 16-31 (a hit); then 64-79 at once, decoded 16.3 ms after the end of block 15.
  // With on_mechanism_needed the heads have read on all the time: 78 slots, 8 of them skew, up to block 85. With
  // on_new_command they stopped at the arrival of the second, after 52 slots, and waited, once it was sent, until block
  // 68 came round again.
  for (auto when : {ReadAheadAbandoned::on_mechanism_needed, ReadAheadAbandoned::on_new_command}) {
    Host host(with([&](auto& p) { p.read_ahead_abandoned = when; }));
    host.read(0);
    host.now += 10_ms;
    host.read(16);
    CHECK(host.drive.timing().hit);
    host.read(64);
    CHECK(host.drive.timing().hit == (when == ReadAheadAbandoned::on_mechanism_needed));
  }
}

TEST_CASE("read-ahead that is abandoned finishes the sector under the head if the parameters say so") {
  Host now, later(with([](auto&p) { p.read_ahead_stop = ReadAheadStop::after_sector; }));
  for (Host* host : {&now, &later}) {
    host->read(0);
    host->read(1'000'000);
  }
  CHECK(now.drive.timing().wait == 0_us);
  // Decoded 3.1192 ms = 14.98 sectors after the end of block 15: 15 - 14.98 of one is left.
  CHECK(same(Time{later.drive.timing().wait}, Time{slots(15) - (bus_time_of_8k + turnaround + 2200_us)}));
}

TEST_CASE("immediate reporting decides when a write is reported") {
  // Start as in the first test: a first write to block 0 is in the buffer at 2.2 + 0.8192 = 3.0192 ms, on the medium at
  // slot 66. A second one is in the buffer 0.1 + 2.2 + 0.8192 ms after the first is reported.
  const Time first_in{2200_us + bus_time_of_8k}, first_on_medium{slots(66)};
  const Duration in = turnaround + 2200_us + bus_time_of_8k;
  for (auto policy : {ImmediateReporting::off, ImmediateReporting::empty_only, ImmediateReporting::empty_or_sequential})
    for (Lbn second : {Lbn{16}, Lbn{1'000'000}}) {
      CAPTURE(static_cast<int>(policy), second);
      Host host(with([&](auto& p) { p.immediate_reporting = policy; }));
      host.now -= turnaround;
      const Time first = host.write(0);
      CHECK(host.drive.timing().on_medium == first_on_medium);
      CHECK(first == (policy == ImmediateReporting::off ? first_on_medium : first_in));
      const Time reported = host.write(second);
      const bool at_once = policy == ImmediateReporting::empty_or_sequential && second == 16;
      if (policy == ImmediateReporting::off) CHECK(reported == host.drive.timing().on_medium);
      else CHECK(reported == (at_once ? first + in : first_on_medium));
      CHECK(host.drive.idle_at() == host.drive.timing().on_medium);
    }
}

TEST_CASE("a write that arrives in time joins the previous one's pass, a late one loses a revolution") {
  Host host;
  host.now -= turnaround;
  host.write(0);
  host.write(16);  // in the buffer at 6.2 ms; the pass gets there at 13.74 ms
  CHECK(host.drive.timing().streamed);
  CHECK(host.drive.timing().on_medium == Time{slots(50 + 32)});
  host.now = Time{slots(50 + 32)};  // in the buffer 3.1 ms after the heads were there
  host.write(32);
  CHECK_FALSE(host.drive.timing().streamed);
  CHECK(host.drive.timing().seek == 0_us);
  CHECK(host.drive.timing().on_medium == Time{slots(50 + 32) + R + slots(16)});
}

TEST_CASE("a command that crosses a track leaves the arm on the track where it ends") {
  for (const bool write : {true, false}) {
    const auto move_to = [&](Lbn next) {
      Host host(with([](auto& p) { p.read_ahead = ReadAhead::off; }));
      const Geometry& geometry = host.drive.mechanics().geometry();
      REQUIRE(geometry.address(64).track.head + 1 == geometry.address(79).track.head);
      if (write) host.write(64);
      else host.read(64);
      host.now += 1000_ms;
      host.read(next);
      return host.drive.timing().seek;
    };
    INFO(write);
    CHECK(move_to(100) == 0_us);    // on the second track
    CHECK(move_to(32) == 1600_us);  // a head switch back to the first
  }
}

TEST_CASE("a write waits for room in the write buffer") {
  Host host(with([](auto& p) { p.write_buffer = 16_KiB; }));
  host.now -= turnaround;
  host.write(0);
  host.write(16);
  host.now += turnaround;
  // Two pieces of 8 KiB fill it until the first is on the medium.
  CHECK(host.drive.write(host.now, 32, 16).ready == Time{slots(66)});
}

TEST_CASE("a write longer than the write buffer arrives in halves of the buffer, and the heads need only one pass") {
  Host host;
  host.now -= turnaround;
  host.write(0, 1000);
  CHECK(host.drive.timing().on_medium == Time{slots(50)} + host.drive.mechanics().span(0, 1000, Access::write));
  Host small(with([](auto& p) { p.write_buffer = 32_KiB; }));
  small.now -= turnaround;
  CHECK(small.drive.write(small.now, 0, 1000).sectors == 32);
}

TEST_CASE("the seek of a write starts at the command or after the data") {
  // At the command: the heads are there at 2.2 + 3.64 ms; after the data, 0.8192 later. Settling adds to both.
  for (auto policy : {WriteSeek::at_command, WriteSeek::after_data}) {
    Drive drive(with([&](auto& p) {
                  p.write_seek = policy;
                  p.write_settle = 500_us;
                }),
                {});
    const Time in = drive.write(Time{}, 0, 16).ready + bus_time_of_8k;
    drive.data_received(in);
    CHECK(drive.timing().seek == 4140_us);
    CHECK(drive.timing().on_medium == Time{slots(66)});
    CHECK(drive.timing().rotation == slots(50) - 6340_us - (policy == WriteSeek::at_command ? 0_us : bus_time_of_8k));
  }
}

TEST_CASE("a read waits until buffered writes are on the medium") {
  Host host;
  host.now -= turnaround;
  host.write(0);
  host.write(16);
  host.read(0);
  CHECK_FALSE(host.drive.timing().hit);
  CHECK(host.drive.timing().received + 2200_us + host.drive.timing().wait == Time{slots(50 + 32)});
}

TEST_CASE("80 sorted random blocks of 8 KB take about 19 ms a read and 16 to 17 ms a write") {
  // By hand: 5.2 ms seek + 7.5 rotation + 3.3 transfer + 2.2 overhead + 0.8 bus = 19.0 for a read; overhead and bus
  // are hidden for a write: 16.0. Mean of 20 layouts.
  double read_ms = 0, write_ms = 0;
  constexpr int trials = 20;
  for (int trial = 0; trial < trials; ++trial) {
    RandomStream random(static_cast<std::uint64_t>(trial), "layout");
    std::vector<Lbn> blocks(80);
    for (auto& b : blocks) b = random.below(2647080 / 16) * 16;
    std::sort(blocks.begin(), blocks.end());
    Host reader({}, random_start({}, trial, "r")), writer({}, random_start({}, trial, "w"));
    for (Lbn b : blocks) reader.read(b);
    for (Lbn b : blocks) writer.write(b);
    read_ms += ms(reader.now.time_since_epoch()) / 80 / trials;
    write_ms += ms(writer.drive.idle_at().time_since_epoch()) / 80 / trials;
  }
  CAPTURE(read_ms, write_ms);
  CHECK(read_ms == Approx(19.1).margin(0.4));
  CHECK(write_ms > 15.9);
  CHECK(write_ms < 17.0);
}

TEST_CASE("80 contiguous blocks of 8 KB take the time of their 17.8 tracks on the medium") {
  // 1280 sectors with 17 head switches of 8 slots: 1416 slots = 294.9 ms, from the first sector's start, if they lie in
  // one cylinder: block 15 * 72 is the first of cylinder 2. The bus adds its time for the last block.
  const Lbn start = 15 * 72;
  Host reader, writer(with([](auto&p) { p.write_buffer = 128_KiB; }));
  for (int i = 0; i < 80; ++i) reader.read(start + i * 16);
  const auto& begin = reader.drive.mechanics();
  CHECK(begin.span(start, 1280, Access::read) == slots(1416));
  CHECK(ms(slots(1416)) == Approx(294.85).margin(0.01));
  // Cylinder 0 to 2: 3.24 + 0.4 * sqrt(2) = 3.806 ms, there at 0.1 + 2.2 + 3.806 = 6.106; the cylinder starts at slot
  // 2 * 162 = 36 mod 72: 7.496 ms.
  CHECK(reader.now == Time{slots(36) + slots(1416) + bus_time_of_8k});
  Time reported{};
  for (int i = 0; i < 80; ++i) reported = writer.write(start + i * 16);
  CHECK(writer.drive.idle_at() == Time{slots(36) + slots(1416)});
  // Each is reported once it is in the buffer, 0.1 + 2.2 + 0.8192 = 3.1192 ms after the one before. The medium
  // needs 3.33 or, with a head switch, 5.0 ms: the writes get ahead of it, but not yet by the 16 blocks of the buffer.
  CHECK(reported == Time{80 * (turnaround + 2200_us + bus_time_of_8k)});
  // The next 80 find the buffer full: block 159 has room when block 143 is on the medium.
  for (int i = 80; i < 160; ++i) reported = writer.write(start + i * 16);
  CHECK(
      same(reported, Time{slots(36)} + writer.drive.mechanics().span(start, 144 * 16, Access::write) + bus_time_of_8k));
}

TEST_CASE("a long sequential read runs at 2.198e6 bytes a second") {
  Host host;
  host.read(0);
  const Time from = host.now;
  for (Lbn lbn = 16; lbn < 16 + 100 * 1368; lbn += 16) host.read(lbn);
  // A cylinder: 19 * 72 sectors in 1368 + 18 * 8 + 18 = 1530 slots; 100 cylinders.
  CHECK(100.0 * 1368 * 512 / seconds(host.now - from) == Approx(2.198e6).epsilon(0.0005));
}

TEST_CASE("recording what the heads do changes no time") {
  Host plain, noted;
  noted.drive.note_activity();
  RandomStream random(5, "work");
  Time last{};
  for (int i = 0; i < 2000; ++i) {
    const Lbn lbn = random.below(20) ? random.below(4000) : random.below(2647080 - 300);
    const auto sectors = static_cast<std::uint32_t>(1 + random.below(300));
    const bool write = random.below(2);
    for (Host* h : {&plain, &noted}) write ? h->write(lbn, sectors) : h->read(lbn, sectors);
    REQUIRE(plain.now == noted.now);
    for (auto& a = noted.drive.activity(); a.size() > 1 && a[1].at <= noted.now; a.pop_front())
      REQUIRE(a[0].at <= a[1].at);
    REQUIRE(plain.now > last);
    last = plain.now;
  }
}

TEST_CASE("every policy serves any mixture of requests, and time never runs backwards") {
  RandomStream random(6, "policies");
  for (int round = 0; round < 60; ++round) {
    DriveParams p;
    p.immediate_reporting = static_cast<ImmediateReporting>(random.below(3));
    p.read_ahead = static_cast<ReadAhead>(random.below(4));
    p.read_ahead_abandoned = static_cast<ReadAheadAbandoned>(random.below(2));
    p.read_ahead_stop = static_cast<ReadAheadStop>(random.below(2));
    p.write_seek = static_cast<WriteSeek>(random.below(2));
    p.stream_window = static_cast<std::uint32_t>(random.below(3) * 40);
    p.reuse_sent_data = random.below(2);
    p.write_settle = 500_us * random.below(2);
    p.write_buffer = {std::uint64_t{8192} << random.below(4)};
    Host host(p, random_start(p, 1, std::to_string(round)));
    Lbn next = 0;
    for (int i = 0; i < 300; ++i) {
      const Time before = host.now;
      const auto n = static_cast<std::uint32_t>(1 + random.below(random.below(4) ? 32 : 400));
      const Lbn lbn = random.below(2)   ? next
                      : random.below(2) ? random.below(3000)
                                        : 2647080 - 400 - random.below(3000);
      if (random.below(3) == 0) host.now += Duration{static_cast<std::int64_t>(random.below(60'000'000'000))};
      random.below(3) ? host.read(lbn, n) : host.write(lbn, n);
      next = lbn + n < 2647080 - 400 ? lbn + n : 0;
      const auto& t = host.drive.timing();
      REQUIRE(host.now >= before + turnaround + 2200_us + Duration{100'000} * n * 512);
      for (Duration d : {t.wait, t.seek, t.rotation, t.transfer}) REQUIRE(d >= 0_us);
      REQUIRE(t.rotation < 2 * R * (1 + n / 8));  // at worst a revolution a burst
    }
  }
}

TEST_CASE("a drive whose arm starts outside the cylinders is refused") {
  CHECK_THROWS_AS(Drive(DriveParams{}, {0, 1962}), ConfigError);
  CHECK_THROWS_AS(Drive(DriveParams{}, {std::numeric_limits<double>::quiet_NaN(), 0}), ConfigError);
}

TEST_CASE(
    "a read that is longer than a segment goes on streaming, whether what is read ahead may overwrite it or not") {
  const auto time_of = [](bool over_request, std::uint32_t sectors) {
    Host host(with([&](DriveParams& p) {
      p.segments = 2;  // of 64 KiB
      p.read_fence = 128_KiB;
      p.read_ahead_over_request = over_request;
    }));
    host.read(0, sectors);
    const Time first = host.now;
    host.read(sectors, sectors);
    CHECK(host.drive.timing().seek == Duration{});
    return host.now - first;
  };
  for (const bool over_request : {true, false}) {
    const Duration fits = time_of(over_request, 128), longer = time_of(over_request, 512);
    CHECK(longer > 3 * fits);
    // A burst that fills its segment has to be sent before the heads go on: a revolution for each.
    CHECK(longer < 512 / 128 * (fits + R));
  }
}

TEST_CASE("a read of the first blocks that is given up before the heads are there leaves a drive that works") {
  Host host(with([](DriveParams& p) { p.read_ahead_abandoned = ReadAheadAbandoned::on_new_command; }));
  host.drive.read(Time{}, 0, 16);
  host.now = Time{1_ms};
  host.read(0);
  CHECK(host.drive.timing().rotation > Duration{});
}
