// SPDX-License-Identifier: MIT
#include "models/core/random.h"
#include "models/disk/mechanics.h"
#include "tests/support/blocks.h"
#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::disk;
using namespace sunstar::literals;

namespace {

/// Two heads, tracks of 10 sectors, one zone of 6 cylinders: 12 tracks, 120 sectors.
DriveParams small(Sparing sparing, std::uint32_t spares, std::vector<std::uint64_t> slipped = {}) {
  DriveParams p;
  p.heads = 2;
  Zone z;
  z.cylinders = 6;
  z.sectors_per_track = 10;
  z.track_skew = 2;
  z.cylinder_skew = 4;
  z.spares = spares;
  z.slipped = std::move(slipped);
  p.zones = {z};
  p.sparing = sparing;
  return p;
}

Address place(std::uint32_t cylinder, std::uint32_t head, std::uint32_t sector) { return {{cylinder, head}, sector}; }

/// The reference: numbers the sectors of the zone one by one.
void check_round_trip(const DriveParams& p) {
  validated(p, "disk");
  const Geometry g(p);
  test::check_places_differ(g);
  for (Lbn lbn = 0; lbn < g.sectors(); ++lbn) {
    REQUIRE(g.track_begin(lbn) <= lbn);
    REQUIRE(g.address(g.track_begin(lbn)).track == g.address(lbn).track);
    REQUIRE((g.track_begin(lbn) == 0 || g.address(g.track_begin(lbn) - 1).track != g.address(lbn).track));
    REQUIRE(g.address(g.track_end(lbn) - 1).track == g.address(lbn).track);
    REQUIRE((g.track_end(lbn) == g.sectors() || g.address(g.track_end(lbn)).track != g.address(lbn).track));
    REQUIRE((g.cylinder_end(lbn) == g.sectors() ||
             g.address(g.cylinder_end(lbn)).track.cylinder != g.address(lbn).track.cylinder));
  }
}

}  // namespace

TEST_CASE("spare tracks lie at the end of the zone, and slipped tracks use them up") {
  const auto p = small(Sparing::tracks_at_zone_end, 3, {1});  // 12 - 3 tracks of data; track 1 is passed over
  const Geometry g(p);
  CHECK(g.sectors() == 90);
  CHECK(g.address(9) == place(0, 0, 9));
  CHECK(g.address(10) == place(1, 0, 0));
  CHECK(g.address(89) == place(4, 1, 9));
  CHECK_FALSE(test::holds_data(g, place(0, 1, 0)));
  CHECK_FALSE(test::holds_data(g, place(5, 0, 0)));
  check_round_trip(p);
}

TEST_CASE("spares at the end of each track leave its last sectors empty") {
  auto p = small(Sparing::sectors_at_track_end, 1);
  p.zones[0].reserved = 18;  // two tracks of nine
  const Geometry g(p);
  CHECK(g.sectors() == 12 * 9 - 18);
  CHECK(g.address(0) == place(1, 0, 0));
  CHECK(g.address(8) == place(1, 0, 8));
  CHECK(g.address(9) == place(1, 1, 0));
  check_round_trip(p);
}

TEST_CASE("spares of each cylinder, range or zone, with slipped sectors inside") {
  // A cylinder has 20 sectors, 3 of them spare; sector 5 of the zone is slipped: cylinder 0 ends one sector later.
  const Geometry cylinder(small(Sparing::sectors_at_cylinder_end, 3, {5}));
  CHECK(cylinder.sectors() == 6 * 17);
  CHECK(cylinder.address(5) == place(0, 0, 6));
  CHECK(cylinder.address(16) == place(0, 1, 7));
  CHECK(cylinder.address(17) == place(1, 0, 0));
  // Ranges of 4 cylinders: 80 - 3, then the rest of 40 - 3.
  auto p = small(Sparing::sectors_at_range_end, 3, {5});
  p.spare_range = 4;
  const Geometry range(p);
  CHECK(range.sectors() == 77 + 37);
  CHECK(range.address(76) == place(3, 1, 7));
  CHECK(range.address(77) == place(4, 0, 0));
  check_round_trip(p);
  // A zone with 3 spares: the slipped sector is one of them, or one more.
  p = small(Sparing::sectors_at_zone_end, 3, {5});
  CHECK(Geometry(p).sectors() == 117);
  p.slipped_use_spares = false;
  CHECK(Geometry(p).sectors() == 116);
  check_round_trip(p);
  p.zones[0].slipped = {5, 6, 7, 8, 9, 40};
  check_round_trip(p);
}

TEST_CASE("a zone may begin at an offset, after cylinders without data, and a drive may offer less than it holds") {
  auto p = small(Sparing::none, 0);
  p.zones.push_back(p.zones[0]);
  p.zones[1].skipped_cylinders = 2;
  p.zones[1].offset = 7;
  p.sectors = 150;
  validated(p, "disk");
  const Geometry g(p);
  CHECK(g.sectors() == 150);
  CHECK(g.cylinders() == 14);
  CHECK(g.address(120) == place(8, 0, 0));
  CHECK(g.first_slot(16, 1) == 7);
  CHECK(g.first_slot(17, 1) == 9);
  CHECK(g.first_slot(18, 1) == 3);  // 7 + 2 + 4 = 13
}

TEST_CASE("serpentine mapping runs backwards in every other cylinder and keeps the head when the cylinder changes") {
  auto p = small(Sparing::none, 0);
  p.mapping = Mapping::serpentine;
  const Geometry g(p);
  CHECK(g.address(10) == place(0, 1, 0));
  CHECK(g.address(20) == place(1, 1, 0));
  CHECK(g.address(30) == place(1, 0, 0));
  CHECK(g.address(40) == place(2, 0, 0));
  check_round_trip(p);
  p.mapping = Mapping::serpentine_over_zones;
  check_round_trip(p);
  // The change costs a seek and no head switch: 4 slots of 10 at 6000 rpm are 4 ms.
  p.rpm = 6000;
  p.head_switch = 5_ms;
  p.seek = {};
  p.seek.short_constant = 3_ms;
  p.seek.short_root = 0_ms;
  Mechanics m(p);
  CHECK(m.span(10, 11, Access::read) == 11_ms + 4_ms);
  p.mapping = Mapping::forward;
  CHECK(Mechanics(p).span(10, 11, Access::read) == 11_ms + 14_ms);
}

TEST_CASE("a pass over slipped sectors and spares agrees with going from sector to sector by angle") {
  for (auto sparing : {Sparing::tracks_at_zone_end, Sparing::sectors_at_track_end, Sparing::sectors_at_cylinder_end,
                       Sparing::sectors_at_range_end, Sparing::sectors_at_zone_end}) {
    DriveParams p;
    p.heads = 3;
    p.zones = {Zone{}, Zone{}};
    for (auto& z : p.zones) {
      z.cylinders = 20;
      z.spares = 4;
      if (sparing != Sparing::sectors_at_track_end) z.slipped = {3, 17, 18, 40};
    }
    p.zones[1].sectors_per_track = 60;
    p.zones[1].track_skew = 7;
    p.zones[1].cylinder_skew = 16;
    p.zones[1].offset = 11;
    p.sparing = sparing;
    p.spare_range = 3;
    validated(p, "disk");
    Mechanics m(p);
    const auto& g = m.geometry();
    RandomStream random(5, "pass");
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t n = 1 + random.below(3000);
      const Lbn lbn = random.below(g.sectors() - n);
      const Time turned{m.rotation().phase(0.6)}, start = turned + m.rotational_wait(turned, lbn);
      Time t = start;
      for (Lbn b = lbn; b < lbn + n; ++b) {
        if (b > lbn) t += m.move(g.address(b - 1).track, g.address(b).track, Access::read);
        t += m.rotational_wait(t, b);
        t += m.rotation().slot_time(1, g.zone(g.extents()[g.extent_of(b)].zone).sectors_per_track);
      }
      REQUIRE(seconds(m.span(lbn, n, Access::read)) == Approx(seconds(t - start)).margin(20e-9));
    }
  }
}

TEST_CASE("what a pass has read by some time is what fits into that time, block by block") {
  const Sparing sparing =
      GENERATE(Sparing::sectors_at_track_end, Sparing::sectors_at_cylinder_end, Sparing::sectors_at_zone_end);
  DriveParams p = small(
      sparing, 3,
      sparing == Sparing::sectors_at_track_end ? std::vector<std::uint64_t>{} : std::vector<std::uint64_t>{7, 8, 33});
  p.heads = GENERATE(1u, 2u, 5u);
  p.zones.push_back(p.zones.front());
  p.zones.back().sectors_per_track = 7;
  const Mechanics m(validated(p, "disk"));
  RandomStream random(5, "passed");
  for (int trial = 0; trial < 2000; ++trial) {
    const Lbn lbn = random.below(m.geometry().sectors());
    const std::uint64_t most = random.below(m.geometry().sectors());
    // Half of the times are exactly those at which a block has passed.
    const std::uint64_t n = random.below(m.geometry().sectors() - lbn + 1);
    const Duration since = m.span(lbn, n, Access::read) + Duration{static_cast<std::int64_t>(random.below(2)) * 777};
    std::uint64_t fits = 0;
    while (fits < std::min(most, m.geometry().sectors() - lbn) && m.span(lbn, fits + 1, Access::read) <= since) ++fits;
    REQUIRE(m.passed(lbn, since, most) == fits);
  }
}

TEST_CASE("seek times come from the table, on a line between its points, and beyond it from the formula or a line") {
  SeekParams p;
  p.table = {{1, 1_ms}, {3, 2_ms}, {5, 4_ms}};
  SeekCurve formula(p);
  CHECK(formula(0) == 0_ms);
  CHECK(formula(1) == 1_ms);
  CHECK(formula(2) == 1500_us);
  CHECK(formula(4) == 3_ms);
  CHECK(formula(5) == 4_ms);
  CHECK(formula(9) == 3240_us + 1200_us);
  p.beyond_table = BeyondTable::last_two_points;
  CHECK(SeekCurve(p)(9) == 8_ms);
  p.table = {{4, 2_ms}};
  CHECK(SeekCurve(p)(1) == 2_ms);
  CHECK(SeekCurve(p)(100) == 2_ms);
}

TEST_CASE("a write has its own settling time instead of a read's") {
  DriveParams p;
  p.read_settle = 1_ms;
  p.write_settle = 300_us;
  Mechanics m(p);
  CHECK(m.move({0, 0}, {1, 0}, Access::read) == 3640_us);
  CHECK(m.move({0, 0}, {1, 0}, Access::write) == 2940_us);
  CHECK(m.move({0, 0}, {0, 0}, Access::write) == 0_ms);
  p.read_settle = 5_ms;
  CHECK(Mechanics(p).move({0, 0}, {1, 0}, Access::write) == 0_ms);
}
