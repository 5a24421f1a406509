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
  // They come in by different ports and share the channel to the node byte by byte from the beginning, so the first is late by as much.
  const auto first = core.inject(1, 0, 200, Time{});
  CHECK(first.tail == Time{1040_ns});
  const auto second = core.inject(6, 0, 200, Time{});
  CHECK(second.head == Time{1040_ns});
  CHECK(second.tail == Time{2040_ns});
  CHECK(core.late(first.ticket) == 1000_ns);
  CHECK(core.late(first.ticket) == 0_ns);
  CHECK(core.late(second.ticket) == 0_ns);
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

TEST_CASE("a short worm passes a long one in the other virtual channel") {
  // 2000 bytes from (1,0) to (0,0), 10 us; 10 bytes, 50 ns, from (0,1) come to the ejection channel at 1040 ns. They take turns, so the short one
  // needs 100 ns there, and the long one is late by the 50 ns it gave away.
  WormCore core = core_of({6, 6});
  const auto first = core.inject(1, 0, 2000, Time{});
  const auto second = core.inject(6, 0, 10, Time{1_us});
  CHECK(second.tail == Time{1040_ns + 100_ns});
  CHECK(core.late(first.ticket) == 50_ns);
  // One that comes in by the port of the long one, in its virtual channel, waits behind it; and 5 ns, were there a turnaround.
  CHECK(core.inject(1, 0, 10, Time{10_us}).tail > Time{10_us + 40_ns + 50_ns});
}

TEST_CASE("two classes of a ring share its links, messages of one class do not") {
  // A ring of 8, upwards, 200 bytes each. From 7 to 2 wraps and has class 1, on the link from 0 to 1 from 40 to 1040 ns; from 0 to 3 class 0,
  // there at 40 ns when it is sent at 20 ns: in turns from the beginning, so both end late by a whole message.
  WormCore core(Cube({8}), {20_ns, 200_MBps, 16});
  const auto first = core.inject(7, 2, 200, Time{});
  CHECK(core.inject(0, 3, 200, Time{20_ns}).head == Time{20_ns + 80_ns + 1000_ns});
  CHECK(core.late(first.ticket) == 1000_ns);
  // Downwards from 3 and from 2 to 0 by the dateline's rule: both class 0, so the second waits and the first is not held up.
  WormCore alike(Cube({8}), {20_ns, 200_MBps, 16}, network::vc_class_rule("dateline"));
  const auto ahead = alike.inject(3, 0, 200, Time{});
  CHECK(alike.inject(2, 0, 200, Time{20_ns}).head > Time{1_us});
  CHECK(alike.late(ahead.ticket) == 0_ns);
}

TEST_CASE("a worm that fits into the time before a reservation goes there") {
  WormCore core = core_of({8});
  // 2 to 3 is taken until 1 us by a message of 2; 1 to 4 waits for it and reserves 3 to 4 from 1 us on, so 3 to 4 is idle until then.
  core.inject(2, 3, 200, Time{});
  const auto waits = core.inject(1, 4, 200, Time{});
  CHECK(waits.head > Time{1_us});
  // 3 to 4 with 100 bytes, 500 ns: in between, as if alone.
  CHECK(core.inject(3, 4, 100, Time{}).tail == Time{40_ns + 500_ns});
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
