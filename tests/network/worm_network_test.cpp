// SPDX-License-Identifier: MIT
#include "models/core/random.h"
#include "tests/support/catch.h"
#include "tests/support/network_rig.h"
#include "tests/support/simulation.h"

using namespace sunstar;
using namespace sunstar::literals;
using test::NetworkRig;
using test::Simulation;

namespace {

network::CubeParams exact_worms(std::vector<std::uint32_t> shape) {
  network::CubeParams params;
  params.shape = std::move(shape);
  params.timing_variation = 0_ns;
  return params;
}

}  // namespace

TEST_CASE("a message arrives at its node after (H+1) x 20 ns plus bytes / bandwidth") {
  // From (0,0) to (2,1) of a 6x6, three links: 4 x 20 ns + 40 x 5 ns, sent at 1 us.
  Simulation simulation;
  NetworkRig rig(exact_worms({6, 6}));
  rig.send(0, 8, 40, 1_us);
  simulation.run([&] { return rig.arrivals.size() == 1; });
  CHECK(rig.arrivals[0].when == Time{1_us + 280_ns});
  CHECK(rig.arrivals[0].to == 8);
  CHECK(rig.network->messages() == 1);
  CHECK(rig.network->in_flight() == 0);
}

TEST_CASE("requests wait for room in a full input FIFO while replies pass") {
  // A ring of 8; all messages of 200 bytes, 1000 ns; the FIFO of router 0 has one place, and a request stays in it for
  // 10 us. The request of router 1 arrives at 2 x 20 + 1000 = 1040 ns, so the place is free at 11,040 ns, when that of
  // router 2 leaves: it arrives after 3 x 20 + 1000 ns, at 12,100 ns. That of router 3 leaves at 22,100 ns and arrives
  // at 22,100 + 4 x 20 + 1000 = 23,180 ns. The reply of router 7, sent at 2 us, meets nobody: 3040 ns.
  Simulation simulation;
  auto params = exact_worms({8});
  params.input_fifo = 1;
  NetworkRig rig(params);
  rig.take_out_after = 10_us;
  for (std::uint32_t r : {1, 2, 3}) rig.send(r, 0, 200);
  rig.send(7, 0, 200, 2_us, true);
  std::vector<std::string> lines;
  rig.network->describe_waiting(lines);
  CHECK(lines == std::vector<std::string>{"message from router 2 waits for room in the input FIFO at router 0",
                                          "message from router 3 waits for room in the input FIFO at router 0"});
  CHECK(rig.network->in_flight() == 4);
  simulation.run([&] { return rig.arrivals.size() == 4; });
  const auto check = [&](std::size_t i, std::uint32_t from, std::int64_t ns) {
    CHECK(rig.arrivals[i].from == from);
    CHECK(rig.arrivals[i].when == Time{std::chrono::nanoseconds(ns)});
  };
  check(0, 1, 1040);
  check(1, 7, 3040);
  check(2, 2, 12100);
  check(3, 3, 23180);
  CHECK(test::statistic(*rig.network, "held") == 2);
}

TEST_CASE("a request that waits for room at one node does not hold up messages to others") {
  Simulation simulation;
  auto params = exact_worms({8});
  params.input_fifo = 1;
  NetworkRig rig(params);
  rig.take_out_after = 1_ms;
  rig.send(1, 0, 200);
  rig.send(2, 0, 200);
  rig.send(2, 3, 200);
  simulation.run([&] { return rig.arrivals.size() == 3; });
  CHECK(rig.arrivals[1].to == 3);
  CHECK(rig.arrivals[1].when == Time{1040_ns});
}

TEST_CASE("a message that waits for a channel is named, and its node's next message leaves after it") {
  // 2000 bytes, 10 us, from (1,0) to (1,1); 200 bytes of (0,0) to (1,1) wait for them until 20 + 10,000 ns and arrive
  // at 10,040 + 1000 ns. They have left their node when all but two buffers of 80 ns have passed, at 10,020 + 840 ns;
  // the next, to (0,1), then takes 40 + 1000 ns. The clock's cycle of 5 ns comes after each tail that is waited for.
  Simulation simulation;
  NetworkRig rig(exact_worms({6, 6}));
  rig.send(1, 7, 2000);
  rig.send(0, 7, 200);
  rig.send(0, 6, 200);
  std::vector<std::string> lines;
  rig.network->describe_waiting(lines);
  CHECK(lines == std::vector<std::string>{"message from router 0 to router 7 waits for a channel"});
  CHECK(rig.network->in_flight() == 3);
  simulation.run([&] { return rig.arrivals.size() == 3; });
  CHECK(rig.arrivals[0].when == Time{10'040_ns});
  CHECK(rig.arrivals[1].when == Time{10'020_ns + 5_ns + 1020_ns});
  CHECK(rig.arrivals[2].when == Time{10'020_ns + 5_ns + 840_ns + 1040_ns});
  CHECK(rig.network->in_flight() == 0);
  CHECK_FALSE(rig.network->deadlocked());
}

TEST_CASE("worms that wait for one another for ever are reported as a deadlock") {
  // A ring of 13 without classes, each node sending six links up all the time: at some time everybody has links and
  // waits for the next.
  Simulation simulation;
  auto params = exact_worms({13});
  params.router.vc_class_rule = "none";
  NetworkRig rig(params);
  int told = 0;
  rig.network->when_deadlocked = [&] { ++told; };
  RandomStream random(1, "load");
  for (std::uint32_t i = 0; i < 100; ++i)
    for (std::uint32_t r = 0; r < 13; ++r)
      rig.send(r, (r + 6) % 13, 400, std::chrono::nanoseconds(2000 * i + random.below(2000)), true);
  sc_core::sc_start();
  CHECK(rig.network->deadlocked());
  CHECK(told == 1);
  CHECK(rig.arrivals.size() < 1300);
  std::vector<std::string> lines;
  rig.network->describe_waiting(lines);
  CHECK(lines.size() >= 4);
}

TEST_CASE("nothing is lost or delivered twice under random load, and nothing arrives too early") {
  Simulation simulation;
  auto params = exact_worms({4, 3});
  params.input_fifo = 2;
  params.timing_variation = 1_us;
  NetworkRig rig(params, 7);
  rig.take_out_after = 3_us;
  RandomStream random(1, "load");
  std::vector<Time> left;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> route;
  std::uint64_t bytes_sent = 0;
  for (int burst = 0; burst < 40; ++burst) {
    for (int i = 0; i < 50; ++i) {
      const auto from = static_cast<std::uint32_t>(random.below(12)), to = static_cast<std::uint32_t>(random.below(12));
      const auto bytes = static_cast<std::uint32_t>(random.below(2) ? 40 : 1 + random.below(8192));
      const Duration after{static_cast<std::int64_t>(random.below(5'000'000))};
      left.push_back(now() + after);
      route.emplace_back(from, to);
      bytes_sent += bytes;
      rig.send(from, to, bytes, after, random.below(3) == 0);
    }
    sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_US));
  }
  simulation.run([&] { return rig.network->in_flight() == 0; });
  REQUIRE(rig.arrivals.size() == 2000);
  std::vector<int> times(2000);
  std::uint64_t bytes = 0;
  for (const auto& a : rig.arrivals) {
    ++times[a.number];
    bytes += a.bytes;
    CHECK(route[a.number] == std::pair(a.from, a.to));
    const std::int64_t hops = rig.network->cube().distance(a.from, a.to);
    CHECK(a.when >= left[a.number] + (hops + 1) * 20_ns + static_cast<std::int64_t>(a.bytes) * 5_ns);
  }
  for (int n : times) CHECK(n == 1);
  CHECK(bytes == bytes_sent);
  CHECK(rig.network->message_bytes() == bytes_sent);
  CHECK(test::statistic(*rig.network, "held") > 100);  // the FIFOs were really full
  CHECK(test::statistic(*rig.network, "busiest_channel") <= 1);
}

TEST_CASE("a message costs the kernel the same for any number of flits") {
  // 500 messages of 8 bytes, then 500 of 8192: the same number of delta cycles.
  Simulation simulation;
  NetworkRig rig(exact_worms({6, 6}));
  std::vector<sc_dt::uint64> cycles;
  for (std::uint32_t bytes : {8, 8192}) {
    const auto before = sc_core::sc_delta_count();
    for (std::uint32_t i = 0; i < 500; ++i)
      rig.send(i % 36, (i * 7 + 5) % 36, bytes, std::chrono::microseconds(100 * i));
    sc_core::sc_start();
    cycles.push_back(sc_core::sc_delta_count() - before);
  }
  CHECK(cycles[0] == cycles[1]);
  CHECK(cycles[1] <= 2 * 500);
  REQUIRE(rig.arrivals.size() == 1000);
}

TEST_CASE("a message is late by less than the timing variation, and every seed has its own delays") {
  // The whole run twice is another test's; here: 100 messages that do not meet, at most 500 ns late, not all the same.
  Simulation simulation;
  auto params = exact_worms({6, 6});
  params.timing_variation = 500_ns;
  NetworkRig rig(params);
  for (int i = 0; i < 100; ++i) rig.send(0, 1, 40, std::chrono::microseconds(10 * i));
  simulation.run([&] { return rig.arrivals.size() == 100; });
  std::vector<Duration> late;
  for (const auto& a : rig.arrivals)
    late.push_back(a.when - Time{static_cast<std::int64_t>(a.number) * 10_us + 240_ns});
  const auto [least, most] = std::ranges::minmax(late);
  CHECK(least >= 0_ns);
  CHECK(least < 100_ns);
  CHECK(most < 500_ns);
  CHECK(most > 400_ns);
}
