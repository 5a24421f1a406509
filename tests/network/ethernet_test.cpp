// SPDX-License-Identifier: MIT
#include "models/network/ethernet/csma_cd.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "tests/support/catch.h"
#include "tests/support/declaration_faults.h"

using namespace sunstar;
using namespace sunstar::literals;
using network::CsmaCd;
using network::CsmaCounters;
using network::EthernetParams;
using network::Wiring;

namespace {

/// Stations along one cable at 100 Mb/s, a bit every 10 ns, without delays but the cable's. Signals run at a third of
/// the speed of light here, so that 100 m take 1 us.
EthernetParams cable(std::vector<std::uint32_t> positions) {
  EthernetParams params;
  params.ports = static_cast<std::uint32_t>(positions.size());
  params.positions = std::move(positions);
  params.propagation_speed = 1e8 / 299'792'458;
  params.station_latency = {};
  return params;
}

constexpr std::uint64_t shortest = 72;  // bytes on the wire of a frame of 64: 5760 ns

/// A shared medium, and when each station got through.
struct Medium {
  explicit Medium(const EthernetParams& p, std::uint64_t seed = 1)
      : params(p), core(p, Wiring::hub(p), seed, "cable", counters) {}

  void offer(Time when, std::uint32_t station, std::uint64_t bytes = shortest) {
    run(when);
    core.offer(when, station, bytes);
    note(when);
  }
  /// Until `when`, or until all frames are through.
  void run(Time when = Time::max()) {
    while (core.next() < when) note(core.next());
  }
  void note(Time when) {
    for (const std::uint32_t station : core.advance(when)) through.emplace_back(station, when);
  }
  Time when(std::uint32_t station) const {
    for (const auto& [s, t] : through)
      if (s == station) return t;
    return Time::max();
  }

  EthernetParams params;
  CsmaCounters counters;
  CsmaCd core;
  std::vector<std::pair<std::uint32_t, Time>> through;
};

}  // namespace

TEST_CASE("a lone frame leaves at once and takes the time of its bits") {
  Medium medium(cable({0, 100}));
  medium.offer(Time{3_us}, 0);
  medium.run();
  CHECK(medium.when(0) == Time{3_us + 5760_ns});  // 576 bits of 10 ns
  CHECK(medium.counters.deferrals == 0);
  CHECK(medium.counters.at_attempt[0] == 1);
}

TEST_CASE("a station waits until the carrier that it hears has been gone for the gap") {
  Medium medium(cable({0, 100}));
  medium.offer(Time{}, 0);
  medium.offer(Time{2_us}, 1);  // has heard the other one for 1 us
  medium.run();
  // It hears the end at 5760 + 1000 ns, and starts 96 bit times later.
  CHECK(medium.when(1) == Time{6760_ns + 960_ns + 5760_ns});
  CHECK(medium.counters.deferrals == 1);
  CHECK(medium.counters.collisions == 0);
}

TEST_CASE("the next frame of the same station follows after the gap") {
  Medium medium(cable({0, 100}));
  medium.offer(Time{}, 0);
  medium.run();
  medium.offer(Time{5760_ns}, 0);
  medium.run();
  CHECK(medium.through.back().second == Time{5760_ns + 960_ns + 5760_ns});
}

TEST_CASE("two stations that start within the propagation time collide, and stop after preamble and jam") {
  Medium medium(cable({0, 100}));
  medium.offer(Time{}, 0);
  medium.offer(Time{990_ns}, 1);  // the other signal comes at 1000 ns
  CHECK(medium.core.sending() == 2);
  // Station 1 hears it 10 ns after its start, completes its preamble (64 bits) and sends the jam (32 bits): it stops at
  // 990 + 640 + 320 ns. Station 0 hears station 1 at 1990 ns, after its preamble, and stops 320 ns later.
  medium.run(Time{1950_ns});
  CHECK(medium.counters.collisions == 0);
  medium.run(Time{1951_ns});
  CHECK(medium.counters.collisions == 1);
  medium.run(Time{2310_ns});
  CHECK(medium.counters.collisions == 1);
  medium.run(Time{2311_ns});
  CHECK(medium.counters.collisions == 2);
  CHECK(medium.counters.collided == 960_ns + 2310_ns);
  medium.run();
  CHECK(medium.through.size() == 2);
  CHECK(medium.counters.deferrals == 0);  // only first attempts count
}

TEST_CASE("a station that starts after the signal has reached it does not collide") {
  Medium medium(cable({0, 100}));
  medium.offer(Time{}, 0);
  medium.offer(Time{1002_ns}, 1);
  medium.run();
  CHECK(medium.counters.collisions == 0);
}

TEST_CASE("a station that waits for a frame that collides starts when that has stopped") {
  Medium medium(cable({0, 50, 200}));
  medium.offer(Time{}, 0, 1526);
  medium.offer(Time{600_ns}, 1);   // has heard station 0 since 500 ns
  medium.offer(Time{1500_ns}, 2);  // will hear it at 2000 ns
  // Station 2 stops after preamble and jam, at 2460 ns. Station 0 hears it at 3500 ns and stops 320 ns later. Station 1
  // hears that at 4320 ns, when it has heard the end of station 2's signal already, and starts a gap later.
  medium.run(Time{5280_ns});
  CHECK(medium.core.sending() == 0);
  medium.run(Time{5281_ns});
  CHECK(medium.core.sending() == 1);
}

TEST_CASE("after a first collision each station waits for no slot or one") {
  // Two stations at one place start together and stop after preamble and jam, at 960 ns. With no slot a station starts
  // when the gap has passed, at 1920 ns; with one it would start at 960 + 5120 ns.
  std::array<int, 3> at_once{};
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Medium medium(cable({0, 0}), seed);
    medium.offer(Time{}, 0);
    medium.offer(Time{}, 1);
    CHECK(medium.core.sending() == 2);
    medium.run(Time{1921_ns});
    ++at_once.at(medium.core.sending());
    if (medium.core.sending() == 0) CHECK(medium.core.next() == Time{960_ns + 5120_ns});
  }
  // A quarter, a half and a quarter of 400, within three and a half standard deviations (9 to 10 seeds).
  CHECK(std::abs(at_once[0] - 100) < 32);
  CHECK(std::abs(at_once[1] - 200) < 36);
  CHECK(std::abs(at_once[2] - 100) < 32);
}

TEST_CASE("the range of the back-off doubles with each collision, up to the limit") {
  // 40 stations cannot share two slots: all of them collide again and again. 1,024 slots are plenty.
  const auto through = [](std::uint32_t limit) {
    EthernetParams params = cable(std::vector<std::uint32_t>(40));
    params.backoff_limit = limit;
    Medium medium(params);
    for (std::uint32_t s = 0; s < 40; ++s) medium.offer(Time{}, s);
    medium.run(Time{20_ms});
    return medium.through.size();
  };
  CHECK(through(1) == 0);
  CHECK(through(10) == 40);
}

TEST_CASE("after the last attempt the driver starts over, and no frame gets lost") {
  EthernetParams params = cable({0, 0, 0, 0});
  params.attempt_limit = 3;
  params.backoff_limit = 2;
  std::uint64_t excessive = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Medium medium(params, seed);
    for (std::uint32_t s = 0; s < 4; ++s) medium.offer(Time{}, s);
    medium.run();
    CHECK(medium.through.size() == 4);
    const auto& got = medium.counters.at_attempt;
    CHECK(got.size() == 3);
    // A station that gave up had three collisions. The frames that got through had the others.
    CHECK(medium.counters.collisions == 3 * medium.counters.excessive + got[1] + 2 * got[2]);
    excessive += medium.counters.excessive;
  }
  CHECK(excessive > 10);
}

TEST_CASE("a station that got through goes into the next contention with a fresh count, and wins it mostly") {
  // Two stations that always have a frame. The loser's range has doubled with each collision; the winner's has not.
  Medium medium(cable({0, 100}));
  medium.offer(Time{}, 0);
  medium.offer(Time{}, 1);
  int same = 0;
  for (std::size_t frames = 1; frames <= 2000; ++frames) {
    while (medium.through.size() < frames) medium.note(medium.core.next());
    const auto [station, when] = medium.through.back();
    if (frames > 1) same += station == medium.through[frames - 2].first;
    medium.offer(when, station);
  }
  CHECK(same > 1900);  // a fair draw would give about 1000
}

TEST_CASE("the same seed gives the same back-off, another seed another one") {
  const auto run = [](std::uint64_t seed) {
    Medium medium(cable({0, 10, 20, 30, 40, 50, 60, 70}), seed);
    for (std::uint32_t s = 0; s < 8; ++s) medium.offer(Time{}, s);
    medium.run();
    return medium.through;
  };
  CHECK(run(1) == run(1));
  CHECK(run(1) != run(2));
}

TEST_CASE("1,024 stations that start at once all get through") {
  EthernetParams params = cable(std::vector<std::uint32_t>(1024));
  for (std::uint32_t s = 0; s < 1024; ++s) params.positions[s] = s / 10;
  Medium medium(params);
  for (std::uint32_t s = 0; s < 1024; ++s) medium.offer(Time{}, s);
  medium.run();
  std::vector<std::uint32_t> stations;
  for (const auto& [station, when] : medium.through) stations.push_back(station);
  std::ranges::sort(stations);
  CHECK(stations.size() == 1024);
  CHECK(std::ranges::adjacent_find(stations) == stations.end());
}

TEST_CASE("a medium on which a collision could go unheard is refused") {
  const auto problem = [](const EthernetParams& params) {
    Problems problems;
    check(params, "machine.network", problems);
    return problems;
  };
  EthernetParams params;
  CHECK_NOTHROW(problem(params).throw_if_any());
  // Fast Ethernet's largest: 100 m to a hub and 100 m from it. There and back 2 x (2 x 100 m x 5.56 ns + 460 + 500 ns).
  params.cable = 100;
  CHECK_NOTHROW(problem(params).throw_if_any());
  params.cable = 200;
  CHECK_THROWS_WITH(
      problem(params).throw_if_any(),
      Catch::Matchers::ContainsSubstring("machine.network.slot_bits is 512 and the shortest frame has 512 bits; "
                                         "the longest way and back takes 636 bit times"));
  params.medium = "switch";
  CHECK_NOTHROW(problem(params).throw_if_any());
  params.port_buffer = 1_KiB;
  CHECK_THROWS_WITH(
      problem(params).throw_if_any(),
      Catch::Matchers::ContainsSubstring("port_buffer is 1024 bytes; it must hold the longest frame, 1526 bytes"));
  params.mtu = 40_B;
  CHECK_THROWS_WITH(problem(params).throw_if_any(),
                    Catch::Matchers::ContainsSubstring(
                        "machine.network.mtu is 40 bytes; it must be at least minimum_payload, 46 bytes"));
  EthernetParams along = cable({0, 10});
  along.ports = 3;
  CHECK_THROWS_WITH(
      problem(along).throw_if_any(),
      Catch::Matchers::ContainsSubstring("machine.network.positions has 2 entries; there must be one for each of "
                                         "the 3 ports, or none"));
}

TEST_CASE("every parameter of an Ethernet has its range, and its default lies within") {
  CHECK(kit::parameter_faults<EthernetParams>().empty());
}
