// SPDX-License-Identifier: MIT
#include "models/node/node_bus.h"

#include "models/core/random.h"
#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::literals;
using node::NodeBusCore;

// 400 MB/s: 2.5 ns a byte, so 64 bytes take 160 ns and 8192 bytes 20,480 ns.

TEST_CASE("a transfer alone on the node bus takes bytes / bandwidth") {
  NodeBusCore bus(400_MBps, 64);
  CHECK(bus.transfer(Time{1_us}, 8192) == Time{1_us + 20480_ns});
  CHECK(bus.transfer(Time{100_us}, 64) == Time{100_us + 160_ns});
  CHECK(bus.busy(Time::max()) == 20640_ns);
}

TEST_CASE("long transfers are served one after the other") {
  NodeBusCore bus(400_MBps, 64);
  CHECK(bus.transfer(Time{}, 8192) == Time{20480_ns});
  CHECK(bus.transfer(Time{1_us}, 8192) == Time{40960_ns});
}

TEST_CASE("a short transfer waits for one burst of a long one at most") {
  // At 1 us behind a long one: one burst of 160 ns, then its own 8 bytes, 20 ns.
  NodeBusCore bus(400_MBps, 64);
  bus.transfer(Time{}, 8192);
  CHECK(bus.transfer(Time{1_us}, 8) == Time{1_us + 180_ns});
  // At 20,490 ns the long one, pushed back by 20 ns, has 10 ns left: no more is waited.
  CHECK(bus.transfer(Time{20490_ns}, 8) == Time{20520_ns});
}

TEST_CASE("a short transfer delays the long ones by its own time") {
  // 20,480 ns of the first, 20 ns of the short one, 20,480 ns of the last.
  NodeBusCore bus(400_MBps, 64);
  bus.transfer(Time{}, 8192);
  bus.transfer(Time{1_us}, 8);
  CHECK(bus.transfer(Time{2_us}, 8192) == Time{40980_ns});
}

TEST_CASE("a transfer of just more than a burst waits for all transfers before it") {
  NodeBusCore bus(400_MBps, 64);
  bus.transfer(Time{}, 8192);
  CHECK(bus.transfer(Time{}, 65) == Time{20480_ns + 162500_ps});
}

TEST_CASE("the node bus is work-conserving: it is never idle while something waits, and gives no bandwidth twice") {
  // Against a server with only one line: the end of all work is the same, even if short transfers slip in.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    RandomStream random(seed, "node bus");
    NodeBusCore bus(400_MBps, 64);
    Time from{}, end{};
    Duration given{};
    for (int i = 0; i < 1000; ++i) {
      from += Duration{static_cast<std::int64_t>(random.below(10'000'000))};
      const std::uint64_t bytes = random.below(2) ? 1 + random.below(64) : 65 + random.below(8192);
      const Duration length = Duration{static_cast<std::int64_t>(bytes * 2500)};
      given += length;
      end = std::max(end, from) + length;
      const Time ended = bus.transfer(from, bytes);
      CHECK(ended >= from + length);
      CHECK(ended <= end);
      if (bytes > 64) CHECK(ended == end);
      if (bytes <= 64) CHECK(ended <= from + 160_ns + length);
    }
    CHECK(bus.busy(Time::max()) == given);
  }
}
