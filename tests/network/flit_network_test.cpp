// SPDX-License-Identifier: MIT
#include "models/core/random.h"
#include "tests/support/catch.h"
#include "tests/support/network_rig.h"
#include "tests/support/simulation.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using namespace sunstar::literals;
using test::NetworkRig;
using test::Simulation;

namespace {
network::CubeParams exact_flits(std::vector<std::uint32_t> shape, const char* model = "flit") {
  network::CubeParams params;
  params.model = model;
  params.shape = std::move(shape);
  params.timing_variation = 0_ns;
  return params;
}
}  // namespace

namespace {
// (H + 1) x 20 ns and a byte every 5 ns, from times on the routers' clock.
void check_without_contention(const char* model) {
  Simulation simulation;
  NetworkRig rig(exact_flits({6, 6}, model));
  Duration when{};
  std::vector<Time> expected;
  for (const std::uint32_t bytes : {1u, 40u, 8224u})
    for (std::uint32_t from = 0; from < 36; from += 5)
      for (std::uint32_t to = 0; to < 36; ++to) {
        rig.send(from, to, bytes, when, true);
        const std::uint32_t hops = rig.network->cube().distance(from, to);
        expected.emplace_back(when + (hops + 1) * 20_ns + static_cast<std::int64_t>(bytes) * 5_ns);
        CHECK(rig.network->zero_load(from, to, bytes) == expected.back() - Time{when});
        when += 50_us;
      }
  simulation.run([&] { return rig.arrivals.size() == expected.size(); });
  for (const auto& a : rig.arrivals) REQUIRE(a.when == expected[a.number]);
  CHECK(rig.network->in_flight() == 0);
}
}  // namespace

TEST_CASE(
    "without contention, flits take (H+1) x 20 ns plus bytes / bandwidth, for pairs of a 6x6 torus and any length") {
  check_without_contention("flit");
}

TEST_CASE("without contention worms take exactly as long as flits") { check_without_contention("worm"); }

TEST_CASE("wider flits keep the bandwidth and the delay of a router") {
  Simulation simulation;
  auto params = exact_flits({6, 6});
  params.router.flit_size = 16_B;
  NetworkRig rig(params);
  rig.send(0, 8, 100, 1_us, true);  // 6 flits of 16 bytes and 4 bytes more: 4 x 20 ns + 100 x 5 ns
  simulation.run([&] { return rig.arrivals.size() == 1; });
  CHECK(rig.arrivals[0].when == Time{1_us + 80_ns + 500_ns});
}

TEST_CASE("a message that is sent between two edges of the routers' clock leaves at the second edge") {
  Simulation simulation;
  NetworkRig rig(exact_flits({6, 6}));
  rig.send(0, 0, 1, 1_ns, true);  // leaves at 5 ns
  simulation.run([&] { return rig.arrivals.size() == 1; });
  CHECK(rig.arrivals[0].when == Time{5_ns + 25_ns});
}

TEST_CASE("the wave file shows whose flit passes a channel and whose packet has each of its virtual channels") {
  Simulation simulation;
  test::TemporaryFolder folder;
  WaveFile waves(folder.path / "w.vcd", {.scope = Scope("network.router0")});
  NetworkRig rig(exact_flits({6, 6}));
  rig.network->probe({.waves = &waves});
  rig.send(0, 0, 2, 0_ns, true);
  simulation.run([&] { return rig.arrivals.size() == 1; });
  waves.close();
  const std::string text = test::TemporaryFolder::read(folder.path / "w.vcd");
  for (const char* signal :
       {"injection_flit", "injection_vc0", "injection_vc1", "ejection_flit", "up0_vc0", "down1_flit", "leaving"})
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring(" " + std::string(signal) + " $end"));
  // Two flits of 5 ns leave the node from the beginning on.
  CHECK_THAT(text, Catch::Matchers::ContainsSubstring("#10000\nb0 "));
}

TEST_CASE("under random load the flit model loses nothing, delivers nothing twice and respects the input FIFOs") {
  Simulation simulation;
  auto params = exact_flits({4, 3});
  params.input_fifo = 2;
  params.timing_variation = 1_us;
  NetworkRig rig(params, 7);
  rig.take_out_after = 3_us;
  RandomStream random(1, "load");
  std::vector<Time> left;
  for (int i = 0; i < 1000; ++i) {
    const Duration after{static_cast<std::int64_t>(random.below(500'000'000))};
    left.emplace_back(after);
    rig.send(static_cast<std::uint32_t>(random.below(12)), static_cast<std::uint32_t>(random.below(12)),
             static_cast<std::uint32_t>(random.below(2) ? 40 : 1 + random.below(2000)), after, random.below(3) == 0);
  }
  simulation.run([&] { return rig.network->in_flight() == 0; });
  std::vector<int> times(1000);
  for (const auto& a : rig.arrivals) {
    ++times[a.number];
    CHECK(a.when >= left[a.number] + (rig.network->cube().distance(a.from, a.to) + 1) * 20_ns +
                        static_cast<std::int64_t>(a.bytes) * 5_ns);
  }
  for (int n : times) CHECK(n == 1);
}

TEST_CASE("routers that have nothing to do cost no kernel event") {
  Simulation simulation;
  NetworkRig rig(exact_flits({6, 6}));
  rig.send(0, 1, 8, 1_us, true);
  rig.send(0, 1, 8, 1_ms, true);
  const auto before = sc_core::sc_delta_count();
  simulation.run([&] { return rig.arrivals.size() == 2; });
  CHECK(sc_core::sc_delta_count() - before < 50);  // 16 cycles each; 200,000 pass
}

TEST_CASE("a deadlock of the flit network is reported with its circle") {
  Simulation simulation;
  auto params = exact_flits({4});
  params.router.virtual_channels = 1;
  params.router.vc_class_rule = "none";
  params.router.buffer_flits = 2;
  NetworkRig rig(params);
  int told = 0;
  rig.network->when_deadlocked = [&] { ++told; };
  for (int i = 0; i < 8; ++i)
    for (std::uint32_t r = 0; r < 4; ++r) rig.send(r, (r + 2) % 4, 400, {}, true);
  sc_core::sc_start();
  REQUIRE(rig.network->deadlocked());
  CHECK(told == 1);
  std::vector<std::string> lines;
  rig.network->describe_waiting(lines);
  REQUIRE(lines.size() >= 4);
  CHECK_THAT(lines[0], Catch::Matchers::ContainsSubstring("waits for that of router"));
}
