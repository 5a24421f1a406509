// SPDX-License-Identifier: MIT
#include "models/network/worm_core.h"

#include "models/core/random.h"
#include "models/network/input_room.h"
#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::literals;
using network::InputRoom;
using network::Cube;
using network::WormCore;

namespace {
// 20 ns a router, 5 ns a byte, and buffers of 16 bytes: 80 ns.
WormCore core_of(std::vector<std::uint32_t> shape) { return WormCore(Cube(std::move(shape)), {20_ns, 200_MBps, 16}); }
}  // namespace

TEST_CASE("without contention a message takes (H+1) x 20 ns and its bytes over 200e6 bytes a second, for all pairs of a 6x6") {
  WormCore core = core_of({6, 6});
  Time when{};
  for (std::uint64_t bytes : {1, 40, 8224})
    for (std::uint32_t from = 0; from < 36; ++from)
      for (std::uint32_t to = 0; to < 36; ++to)
        for (std::uint32_t tie : {0u, 3u}) {
          when += 1_ms;
          const auto passage = core.inject(from, to, bytes, when, tie);
          const std::uint32_t hops = core.cube().distance(from, to);
          REQUIRE(passage.hops == hops);
          REQUIRE(passage.head == when + (hops + 1) * 20_ns);
          REQUIRE(passage.tail == when + (hops + 1) * 20_ns + static_cast<std::int64_t>(bytes) * 5_ns);
        }
}

TEST_CASE("two messages to one node arrive one after the other") {
  // From (1,0) and (0,1) to (0,0), 200 bytes or 1000 ns each. The first has passed the ejection channel at 2 x 20 + 1000 ns;
  // the second, ready for it at 40 ns, has it for the 1000 ns after that.
  WormCore core = core_of({6, 6});
  CHECK(core.inject(1, 0, 200, Time{}).tail == Time{1040_ns});
  const auto second = core.inject(6, 0, 200, Time{});
  CHECK(second.head == Time{1040_ns});
  CHECK(second.tail == Time{2040_ns});
  CHECK(core.busy(core.cube().ejection(0)) == 2_us);
}

TEST_CASE("a blocked worm holds the channels behind it, less what the buffers on the way take") {
  // As above, the second worm, from (0,1), has the ejection channel from 1040 to 2040 ns. The last byte leaves the link
  // before it one router and one full buffer earlier, at 2040 - 20 - 80 = 1940 ns, and the injection channel at 1840 ns.
  // So a third message, from (0,1) to its neighbour (1,1), enters at 1840 ns, not at 1000 ns: 1840 + 2 x 20 + 1000.
  WormCore core = core_of({6, 6});
  core.inject(1, 0, 200, Time{});
  core.inject(6, 0, 200, Time{});
  CHECK(core.inject(6, 7, 200, Time{}).tail == Time{2880_ns});
}

TEST_CASE("messages of one node leave it one after the other") {
  // To different neighbours: the injection channel is free after 1000 ns.
  WormCore core = core_of({6, 6});
  core.inject(0, 1, 200, Time{});
  CHECK(core.inject(0, 6, 200, Time{}).tail == Time{1000_ns + 40_ns + 1000_ns});
}

TEST_CASE("messages on different paths do not disturb each other") {
  WormCore core = core_of({6, 6});
  CHECK(core.inject(0, 1, 200, Time{}).tail == Time{1040_ns});
  CHECK(core.inject(1, 0, 200, Time{}).tail == Time{1040_ns});
  CHECK(core.inject(14, 15, 200, Time{}).tail == Time{1040_ns});
}

TEST_CASE("a message to its own node passes one router") {
  CHECK(core_of({6, 6}).inject(5, 5, 200, Time{}).tail == Time{1020_ns});
}

TEST_CASE("no channel is ever given more time than passes, under any load") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    RandomStream random(seed, "worms");
    WormCore core = core_of({4, 3});
    Time when{}, last{};
    for (int i = 0; i < 2000; ++i) {
      when += Duration{static_cast<std::int64_t>(random.below(300'000))};
      const auto from = static_cast<std::uint32_t>(random.below(12)), to = static_cast<std::uint32_t>(random.below(12));
      const std::uint64_t bytes = 1 + random.below(300);
      const auto passage = core.inject(from, to, bytes, when, static_cast<std::uint32_t>(random.next()));
      CHECK(passage.head >= when + (core.cube().distance(from, to) + 1) * 20_ns);
      CHECK(passage.tail == passage.head + static_cast<std::int64_t>(bytes) * 5_ns);
      last = std::max(last, passage.tail);
    }
    for (std::uint32_t c = 0; c < core.cube().channels(); ++c) CHECK(core.busy(c) <= last - Time{});
  }
}

TEST_CASE("an input FIFO has room again when what was taken out of it has left") {
  InputRoom room(2);
  CHECK(room.take(Time{}));
  CHECK(room.take(Time{}));
  CHECK_FALSE(room.take(Time{1_ms}));
  CHECK(room.next_free() == Time::max());
  room.give_back(Time{2_ms});
  CHECK(room.next_free() == Time{2_ms});
  CHECK_FALSE(room.take(Time{2_ms - 1_ps}));
  CHECK(room.take(Time{2_ms}));
  CHECK(room.taken() == 2);
}

TEST_CASE("places given back out of order by short moments are free in the order of the calls") {
  InputRoom room(2);
  room.take(Time{});
  room.take(Time{});
  room.give_back(Time{2_us});
  room.give_back(Time{1_us});
  CHECK_FALSE(room.take(Time{1_us}));
  CHECK(room.take(Time{2_us}));
  CHECK(room.take(Time{2_us}));
}
