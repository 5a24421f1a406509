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
  CHECK(bus.transfer(Time{1_us}, Time{1_us}, 8192) == Time{1_us + 20480_ns});
  CHECK(bus.transfer(Time{100_us}, Time{100_us}, 64) == Time{100_us + 160_ns});
  CHECK(bus.busy(Time::max()) == 20640_ns);
}

TEST_CASE("long transfers are served one after the other") {
  NodeBusCore bus(400_MBps, 64);
  CHECK(bus.transfer(Time{}, Time{}, 8192) == Time{20480_ns});
  CHECK(bus.transfer(Time{1_us}, Time{1_us}, 8192) == Time{40960_ns});
}

TEST_CASE("a short transfer waits for one burst of a long one at most") {
  // At 1 us behind a long one: one burst of 160 ns, then its own 8 bytes, 20 ns.
  NodeBusCore bus(400_MBps, 64);
  bus.transfer(Time{}, Time{}, 8192);
  CHECK(bus.transfer(Time{1_us}, Time{1_us}, 8) == Time{1_us + 180_ns});
  // At 20,490 ns the long one, pushed back by 20 ns, has 10 ns left: no more is waited.
  CHECK(bus.transfer(Time{20490_ns}, Time{20490_ns}, 8) == Time{20520_ns});
}

TEST_CASE("a short transfer delays the long ones by its own time") {
  // 20,480 ns of the first, 20 ns of the short one, 20,480 ns of the last.
  NodeBusCore bus(400_MBps, 64);
  bus.transfer(Time{}, Time{}, 8192);
  bus.transfer(Time{1_us}, Time{1_us}, 8);
  CHECK(bus.transfer(Time{2_us}, Time{2_us}, 8192) == Time{40980_ns});
}

TEST_CASE("a transfer of just more than a burst waits for all transfers before it") {
  NodeBusCore bus(400_MBps, 64);
  bus.transfer(Time{}, Time{}, 8192);
  CHECK(bus.transfer(Time{}, Time{}, 65) == Time{20480_ns + 162500_ps});
}

TEST_CASE("a transfer of the future does not keep those before it waiting") {
  NodeBusCore bus(400_MBps, 64);
  CHECK(bus.transfer(Time{}, Time{100_us}, 8192) == Time{100_us + 20480_ns});
  CHECK(bus.transfer(Time{}, Time{}, 8192) == Time{20480_ns});
  // 9,520 ns before the one of the future, the rest behind it.
  CHECK(bus.transfer(Time{80_us}, Time{90_us + 480_ns}, 8192) == Time{100_us + 2 * 20480_ns - 9520_ns});
  CHECK(bus.busy(Time{100_us}) == 20480_ns + 9520_ns);
}

TEST_CASE("a transfer that had begun unseen takes the idle time behind the last transfer that has ended") {
  NodeBusCore bus(400_MBps, 64);
  bus.transfer(Time{}, Time{}, 8192);
  CHECK(bus.transfer(Time{50_us}, Time{10_us}, 8192) == Time{40960_ns});
}

TEST_CASE("the node bus is never idle while something waits, and gives no bandwidth twice") {
  // Transfers of now and of the future, in any order, beside the idle time kept nanosecond by nanosecond.
  const int cases = 20;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    INFO("seed " << seed);
    RandomStream random(seed, "node bus");
    NodeBusCore bus(Bandwidth{1'000'000'000}, 64);  // a byte a nanosecond
    std::vector<bool> taken(1'000'000);
    std::uint64_t now = 0, given = 0;
    for (int i = 0; i < 300; ++i) {
      now += random.below(1000);
      const std::uint64_t ahead = random.below(2) ? 0 : random.below(5000);
      const std::uint64_t bytes = random.below(2) ? 1 + random.below(64) : 65 + random.below(1000);
      std::uint64_t end = now + ahead;
      for (std::uint64_t left = bytes; left > 0; ++end)
        if (!taken[end]) taken[end] = true, --left;
      const Time from{Duration{static_cast<std::int64_t>(now + ahead) * 1000}};
      if (bytes <= 64) end = std::min(end, now + ahead + 64 + bytes);
      CHECK(bus.transfer(Time{Duration{static_cast<std::int64_t>(now) * 1000}}, from, bytes) ==
            Time{Duration{static_cast<std::int64_t>(end) * 1000}});
      given += bytes;
    }
    CHECK(bus.busy(Time::max()) == Duration{static_cast<std::int64_t>(given) * 1000});
  }
}
