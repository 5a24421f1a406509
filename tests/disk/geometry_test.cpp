// SPDX-License-Identifier: MIT
#include "models/disk/geometry.h"

#include <fstream>
#include <iterator>

#include "models/core/error.h"
#include "models/core/random.h"
#include "models/disk/mechanics.h"
#include "models/disk/medium.h"
#include "platforms/kit/json_read.h"
#include "platforms/kit/type.h"
#include "tests/support/blocks.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"

using namespace sunstar;
using namespace sunstar::disk;
using namespace sunstar::literals;

namespace {

Zone zone(std::uint32_t cylinders, std::uint32_t sectors_per_track, std::uint32_t track_skew,
          std::uint32_t cylinder_skew) {
  Zone z;
  z.cylinders = cylinders;
  z.sectors_per_track = sectors_per_track;
  z.track_skew = track_skew;
  z.cylinder_skew = cylinder_skew;
  return z;
}

}  // namespace

TEST_CASE("the HP 97560 has three runs of 12,255 tracks and 2,647,080 sectors") {
  Geometry g{DriveParams{}};
  CHECK(g.sectors() == 2647080);
  REQUIRE(g.extents().size() == 3);
  for (const auto& e : g.extents()) CHECK(e.sectors == 12255 * 72);
  CHECK(g.address(0) == Address{{1, 4}, 0});
  CHECK(g.address(12255 * 72 - 1) == Address{{646, 3}, 71});
  CHECK(g.address(12255 * 72) == Address{{654, 0}, 0});
  CHECK(g.address(2647079) == Address{{1952, 18}, 71});
  CHECK_FALSE(test::holds_data(g, {{0, 0}, 0}));
  CHECK_FALSE(test::holds_data(g, {{646, 4}, 0}));
  CHECK_FALSE(test::holds_data(g, {{1, 19}, 0}));
  CHECK_FALSE(test::holds_data(g, {{1, 4}, 72}));
}

TEST_CASE("each block has a place of its own, with zones and spare tracks") {
  DriveParams p;
  p.zones = {zone(10, 100, 8, 18), zone(20, 80, 7, 15), zone(5, 60, 5, 11)};
  p.zones[0].reserved = 300;
  p.zones[1].slipped = {43, 44};
  p.zones[2].spares = 1;
  p.heads = 19;
  validated(p, "disk");
  Geometry g(p);
  CHECK(g.extents().size() == 4);
  test::check_places_differ(g);
  for (Lbn lbn = 0; lbn < g.sectors(); ++lbn) {
    REQUIRE(g.address(g.track_end(lbn) - 1).track == g.address(lbn).track);
    REQUIRE(g.address(g.cylinder_end(lbn) - 1).track.cylinder == g.address(lbn).track.cylinder);
  }
}

TEST_CASE("each track starts 8 slots after the previous one, each cylinder 18") {
  Geometry g{DriveParams{}};
  CHECK(g.first_slot(0, 0) == 0);
  CHECK(g.first_slot(1, 0) == 8);
  CHECK(g.first_slot(18, 0) == 0);  // 18 * 8 = 144 = 2 * 72
  CHECK(g.first_slot(19, 0) == 18);
  CHECK(g.first_slot(19 + 4, 0) == 50);
}

TEST_CASE("seek times follow the two pieces of the curve") {
  SeekCurve seek{SeekParams{}};
  CHECK(seek(0) == 0_ms);
  CHECK(seek(1) == 3640_us);
  CHECK(seek(100) == 7240_us);
  CHECK(seconds(seek(383)) == Approx(3.24e-3 + 0.4e-3 * 19.57039).epsilon(1e-6));  // 11.068 ms
  CHECK(seek(384) == 11072_us);
  CHECK(seek(1961) == 23688_us);  // full stroke: 8.00 + 0.008 * 1961
}

TEST_CASE("the mean seek between random places is 12.8 ms") {
  // Distances d of two uniform cylinders of n occur 2 (n - d) / n^2 of the time.
  SeekCurve seek{SeekParams{}};
  const double n = 1962;
  double mean = 0;
  for (int d = 1; d < n; ++d) mean += 2 * (n - d) / (n * n) * seconds(seek(static_cast<std::uint32_t>(d)));
  CHECK(mean == Approx(12.8e-3).margin(0.1e-3));
}

TEST_CASE("the spindle's angle follows from the time and its phase") {
  const Rotation r(4002);
  CHECK(r.revolution() == Duration{14992503748});
  CHECK(r.angle(Time{}) == 0_ps);
  CHECK(r.angle(Time{3 * r.revolution() + 5_us}) == 5_us);
  CHECK(r.phase(5.25) == Duration{3748125937});
  CHECK(r.wait(Time{2_ms}, 5_ms) == 3_ms);
  CHECK(r.wait(Time{5_ms}, 2_ms) == r.revolution() - 3_ms);
  CHECK(r.wait(Time{5_ms}, 5_ms) == 0_ms);
  CHECK(r.wait(Time{5_ms + 1_ps}, 5_ms) == 0_ms);  // rounding
  CHECK(r.wait(Time{5_ms + 2_ns}, 5_ms) == r.revolution() - 2_ns);
  CHECK(r.slot_time(72, 72) == r.revolution());
  CHECK(r.slot_angle(36 + 72, 72) == r.revolution() / 2);
}

TEST_CASE("a skew that does not cover the head switch costs a revolution a track") {
  DriveParams p;
  p.zones = {Zone{}};
  p.head_switch = 2500_us;  // 12.006 slots
  Mechanics slow(p);
  CHECK(slow.span(0, 73, Access::read) == slow.rotation().slot_time(73 + 8 + 72, 72));
  p.zones[0].track_skew = 13;
  Mechanics covered(p);
  CHECK(covered.span(0, 73, Access::read) == covered.rotation().slot_time(73 + 13, 72));
  p.write_settle = 500_us;  // 14.4 slots
  Mechanics settling(p);
  CHECK(settling.span(0, 73, Access::read) == settling.rotation().slot_time(73 + 13, 72));
  CHECK(settling.span(0, 73, Access::write) == settling.rotation().slot_time(73 + 13 + 72, 72));
}

TEST_CASE("a head switch that is slower than a short seek takes its own time, also beside the seek and in a pass") {
  DriveParams p;
  p.zones = {Zone{}};
  p.head_switch = 5_ms;  // a seek over one cylinder takes 3.64 ms, one over ten 4.505
  Mechanics m(p);
  CHECK(m.move({1, 4}, {2, 4}, Access::read) == 3640_us);
  CHECK(m.move({1, 4}, {1, 5}, Access::read) == 5_ms);
  CHECK(m.move({1, 4}, {2, 5}, Access::read) == 5_ms);
  CHECK(m.move({1, 4}, {11, 5}, Access::read) == 5_ms);
  CHECK(m.move({1, 4}, {101, 5}, Access::read) == m.move({1, 4}, {101, 4}, Access::read));
  // A cylinder has 19 tracks of 72 sectors. 5 ms are 24.01 slots.
  p.zones[0].track_skew = 25;
  p.zones[0].cylinder_skew = 24;
  const Lbn last_track = 18 * 72;
  CHECK(Mechanics(p).span(last_track, 73, Access::read) == m.rotation().slot_time(73 + 24 + 72, 72));
  p.zones[0].cylinder_skew = 25;
  CHECK(Mechanics(p).span(last_track, 73, Access::read) == m.rotation().slot_time(73 + 25, 72));
  p.mapping = Mapping::serpentine;  // the next cylinder begins under the same head: 3.64 ms are 17.5 slots
  p.zones[0].cylinder_skew = 18;
  CHECK(Mechanics(p).span(last_track, 73, Access::read) == m.rotation().slot_time(73 + 18, 72));
}

TEST_CASE("a pass agrees with going from sector to sector by angle") {
  // Independent of the closed formula: each next sector is waited for at its angle, once the heads are on its track.
  DriveParams p;
  p.zones = {zone(10, 100, 12, 25), zone(20, 80, 9, 20), zone(5, 60, 8, 15)};
  p.zones[0].reserved = 300;
  p.zones[1].slipped = {43, 44};
  p.zones[2].spares = 1;
  Mechanics m(p);
  const auto& g = m.geometry();
  RandomStream random(3, "pass");
  for (int i = 0; i < 50; ++i) {
    const Lbn lbn = random.below(g.sectors() - 6000);
    const std::uint64_t n = 1 + random.below(6000);
    const Time turned{m.rotation().phase(0.3)}, start = turned + m.rotational_wait(turned, lbn);
    Time t = start;
    for (Lbn b = lbn; b < lbn + n; ++b) {
      if (b > lbn) {
        t += m.move(g.address(b - 1).track, g.address(b).track, Access::read);
        t += m.rotational_wait(t, b);
      }
      const std::uint32_t zone = g.extents()[g.extent_of(b)].zone;
      t += m.rotation().slot_time(1, p.zones[zone].sectors_per_track);
    }
    REQUIRE(seconds(m.span(lbn, n, Access::read)) == Approx(seconds(t - start)).margin(20e-9));
    REQUIRE(m.passed(lbn, m.span(lbn, n, Access::read), 10000) == std::min<std::uint64_t>(n, 10000));
    REQUIRE(m.passed(lbn, m.span(lbn, n, Access::read) - 1_ps, 10000) == n - 1);
  }
}

TEST_CASE("the medium gives back what was written in any order and zeros elsewhere") {
  constexpr std::uint64_t size = 100'000;
  Medium medium(size);
  std::vector<std::byte> reference(size), all(size, std::byte{1});
  medium.read(0, all);
  CHECK(all == reference);
  CHECK(medium.allocated() == 0);
  RandomStream random(9, "bytes");
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t at = random.below(size), n = random.below(std::min<std::uint64_t>(size - at, 20000));
    for (std::uint64_t b = at; b < at + n; ++b) reference[b] = static_cast<std::byte>(random.next());
    medium.write(at, {reference.data() + at, n});
  }
  medium.read(0, all);
  CHECK(all == reference);
}

TEST_CASE("each fault of a drive's parameters is named in a sentence") {
  CHECK_NOTHROW(validated(DriveParams{}, "disk"));
  const auto refused = [](auto change, const std::string& sentence) {
    DriveParams p;
    change(p);
    Problems problems;
    check(p, "machine.disk", problems);
    REQUIRE(problems.count() == 1);
    CHECK(problems.sentences()[0] == sentence);
    CHECK_THROWS_AS(validated(p, "disk"), ConfigError);
  };
  refused([](auto& p) { p.rpm = 0; }, "machine.disk.rpm is 0.000000; it must lie between 1 and 1000000.");
  refused([](auto& p) { p.zones.clear(); }, "machine.disk.zones is empty; a drive has at least one zone.");
  refused([](auto& p) { p.zones[0].sectors_per_track = 0; },
          "machine.disk.zones.0.sectors_per_track is 0; a track has at least one sector.");
  refused([](auto& p) { p.zones.push_back(zone(0, 72, 8, 18)); },
          "machine.disk.zones.3.cylinders is 0; a zone has at least one cylinder.");
  refused([](auto& p) { p.zones[0].track_skew = 72; },
          "machine.disk.zones.0.track_skew is 72; it must be less than the 72 sectors of a track.");
  refused([](auto& p) { p.zones[0].cylinder_skew = 80; },
          "machine.disk.zones.0.cylinder_skew is 80; it must be less than the 72 sectors of a track.");
  refused([](auto& p) { p.seek.short_root = -1_ms; }, "machine.disk.seek.short_root is negative.");
  refused([](auto& p) { p.head_switch = -1_ms; }, "machine.disk.head_switch is negative.");
  refused([](auto& p) { p.write_settle = -1_ms; }, "machine.disk.write_settle is negative.");
  refused([](auto& p) { p.read_settle = -1_ms; }, "machine.disk.read_settle is negative.");
  refused([](auto& p) { p.overheads.read_miss_after_write = -1_ms; },
          "machine.disk.overheads.read_miss_after_write is negative.");
  refused([](auto& p) { p.overheads.write_completion = -1_ms; },
          "machine.disk.overheads.write_completion is negative.");
  refused([](auto& p) { p.rig.write_sector = -1_ms; }, "machine.disk.rig.write_sector is negative.");
  refused(
      [](auto& p) {
        p.seek.table = {{1, 1_ms}, {1, 2_ms}};
      },
      "machine.disk.seek.table.1.cylinders is 1; distances must grow, and the one before is 1.");
  const auto bare = [&](auto change, const std::string& sentence) {
    refused(
        [&](auto& p) {
          p.zones = {Zone{}};
          change(p);
        },
        sentence);
  };
  bare(
      [](auto& p) {
        p.sparing = Sparing::tracks_at_zone_end;
        p.zones[0].spares = 1962 * 19;
      },
      "machine.disk.zones.0.spares is 37278; a zone has room for 37277 spare tracks.");
  bare(
      [](auto& p) {
        p.sparing = Sparing::sectors_at_track_end;
        p.zones[0].spares = 72;
      },
      "machine.disk.zones.0.spares is 72; a track has room for 71 spare sectors.");
  bare(
      [](auto& p) {
        p.sparing = Sparing::sectors_at_track_end;
        p.zones[0].slipped = {3};
      },
      "machine.disk.zones.0.slipped is not empty; with spares at the end of tracks, slipped sectors are not modelled.");
  bare(
      [](auto& p) {
        p.sparing = Sparing::tracks_at_zone_end;
        p.zones[0].reserved = 73;
      },
      "machine.disk.zones.0.reserved is 73; where tracks are spared it must be whole tracks of 72 sectors.");
  bare(
      [](auto& p) {
        p.sparing = Sparing::sectors_at_zone_end;
        p.zones[0].slipped = {1962 * 19 * 72};
      },
      "machine.disk.zones.0.slipped holds 2684016; the zone has 2684016 sectors.");
  bare([](auto& p) { p.zones[0].offset = 72; },
       "machine.disk.zones.0.offset is 72; it must be less than the 72 sectors of a track.");
  bare([](auto& p) { p.sectors = 3'000'000; }, "machine.disk.sectors is 3000000; the zones hold 2684016.");
  refused([](auto& p) { p.segments = 0; }, "machine.disk.segments is 0; a buffer has at least one segment.");
  refused([](auto& p) { p.segments = 300; },
          "machine.disk.segments is 300; a buffer of 131072B has room for 256 segments of at least one sector.");
  refused([](auto& p) { p.write_segments = 2; },
          "machine.disk.write_segments is 2; it must lie between 1 and the 1 segments of the buffer.");
  refused([](auto& p) { p.separate_write_segment = true; },
          "machine.disk.separate_write_segment is true; the buffer has one segment only, and reads need it.");
  refused([](auto& p) { p.read_watermark = 1.5; },
          "machine.disk.read_watermark is 1.500000; it must lie between 0 and 1.");
  refused([](auto& p) { p.read_fence = {100}; },
          "machine.disk.read_fence is 100B; it must hold at least one sector of 512B.");
  refused([](auto& p) { p.write_fence = {256 << 10}; },
          "machine.disk.write_fence is 262144B; it must not exceed the buffer of 131072B.");
  refused([](auto& p) { p.write_buffer = {0}; },
          "machine.disk.write_buffer is 0B; it must hold at least one sector of 512B.");
  refused([](auto& p) { p.heads = 0; }, "machine.disk.heads is 0; a drive has at least one head.");
}

TEST_CASE("a drive with heads and zones of its own has all their sectors") {
  Problems problems;
  const auto own = boost::json::parse(R"({"heads": 4, "zones": [{"cylinders": 100, "sectors_per_track": 300}]})");
  const auto params = kit::read<DriveParams>(own, "disk", problems);
  CHECK(problems.sentences() == std::vector<std::string>{});
  CHECK(Geometry(params).sectors() == 4 * 100 * 300);
}

TEST_CASE("the catalogue's hp97560 is the drive that the defaults describe") {
  Problems problems;
  const auto params = kit::read<DriveParams>(boost::json::value("hp97560"), "disk", problems);
  CHECK(problems.sentences() == std::vector<std::string>{});
  CHECK(params == DriveParams{});
  CHECK(kit::read<DriveParams>(kit::write(params), "disk", problems) == params);
  // Nothing is left to a default.
  std::ifstream file(test::source_folder() / "models/disk/drives/hp97560.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  CHECK(text == kit::pretty(kit::write(DriveParams{})));
}
