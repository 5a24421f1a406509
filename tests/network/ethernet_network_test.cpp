// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>

#include "tests/support/catch.h"
#include "tests/support/ethernets.h"
#include "tests/support/network_rig.h"
#include "tests/support/simulation.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using namespace sunstar::literals;
using network::EthernetParams;
using test::short_ethernet;
using test::Simulation;

namespace {

struct EthernetRig : test::FabricRig<network::Fabric> {
  explicit EthernetRig(const EthernetParams& params, std::uint64_t seed = 1) : FabricRig(test::fabric(params, seed)) {}
  double figure(const std::string& name) { return test::statistic(*network, name); }
};

/// Whether the messages between each two stations have arrived in the order in which they were sent.
bool in_order(const EthernetRig& rig) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> last;
  return std::ranges::all_of(rig.arrivals, [&](const auto& a) {
    auto& number = last[{a.from, a.to}];
    return std::exchange(number, a.number + 1) <= a.number;
  });
}

}  // namespace

TEST_CASE("a message on a hub takes the time of its frame and the delays of cables, hub and interfaces") {
  Simulation simulation;
  EthernetParams params;  // cables of 5 m: 10 m at 0.6 c take 55.595 ns; hub 460 ns, interfaces 500 ns
  EthernetRig rig(params);
  rig.send(0, 1, 1000);
  simulation.run([&] { return rig.arrivals.size() == 1; });
  // 8 + 14 + 1000 + 4 bytes of 80 ns
  const Duration expected = 82'080_ns + 55'594_ps + 960_ns;
  CHECK(std::abs((rig.arrivals[0].when - Time{expected}).count()) <= 2);
  CHECK(rig.network->zero_load(0, 1, 1000) == rig.arrivals[0].when.time_since_epoch());
  CHECK(rig.figure("frames") == 1);
  CHECK(rig.figure("wire_bytes") == 1026);
}

TEST_CASE("a short message is padded to the shortest frame") {
  Simulation simulation;
  EthernetRig rig(short_ethernet("hub"));
  rig.send(0, 1, 8);
  simulation.run([&] { return rig.arrivals.size() == 1; });
  CHECK(rig.arrivals[0].when == Time{5760_ns});  // 8 + 14 + 46 + 4 bytes
}

TEST_CASE("a request waits outside the hub until its receiver has room, and replies pass it") {
  Simulation simulation;
  EthernetParams params = short_ethernet("hub");
  params.input_fifo = 2;
  EthernetRig rig(params);
  rig.take_out_after = 1_ms;
  for (int i = 0; i < 4; ++i) rig.send(0, 1, 1500);
  rig.send(0, 1, 1500, {}, true);
  simulation.run([&] { return rig.arrivals.size() == 5; });
  CHECK(rig.arrivals[2].reply);
  CHECK(rig.arrivals[3].when > Time{1_ms});  // when the first has left the FIFO
  CHECK(rig.figure("held") == 2);
}

TEST_CASE("a saturated hub delivers everything once, in order, and counts") {
  Simulation simulation;
  EthernetParams params;  // the default delays
  params.ports = 8;
  EthernetRig rig(params);
  for (int i = 0; i < 100; ++i)
    for (std::uint32_t from = 0; from < 8; ++from)
      rig.send(from, (from + 1 + i % 7) % 8, 200 + 400 * (i % 5), {}, true);
  simulation.run([&] { return rig.arrivals.size() == 800; });
  CHECK(in_order(rig));
  CHECK(rig.network->in_flight() == 0);
  CHECK(rig.figure("frames") == 960);  // a fifth of the messages has 1800 bytes: two frames
  double got_through = 0;
  for (int i = 1; i <= 16; ++i) got_through += rig.figure("attempts_" + std::to_string(i));
  CHECK(got_through == 960);
  CHECK(rig.figure("collisions") > 0);
  CHECK(rig.figure("deferrals") > 0);
  CHECK(rig.figure("hub.utilisation") > 0.8);
}

TEST_CASE("a message to its own node goes through the kernel's loopback, not on the hub") {
  Simulation simulation;
  EthernetRig rig(short_ethernet("hub"));
  rig.send(3, 3, 1000);
  simulation.run([&] { return rig.arrivals.size() == 1; });
  CHECK(rig.arrivals[0].when == Time{1_us});
  CHECK(rig.figure("frames") == 0);
}

TEST_CASE("of 1,024 stations only the senders cost anything") {
  Simulation simulation;
  EthernetParams params = short_ethernet("hub");
  params.ports = 1024;
  EthernetRig rig(params);
  for (int i = 0; i < 100; ++i) {
    const auto from = static_cast<std::uint32_t>(i * 10);
    rig.send(from, 1023 - from, 1500, 200_us * i, true);
  }
  const auto before = sc_core::sc_delta_count();
  simulation.run([&] { return rig.arrivals.size() == 100; });
  // For each message the kernel is asked for its start, its end and its arrival.
  CHECK(sc_core::sc_delta_count() - before <= 3 * 100 + 2);
}

TEST_CASE("a message longer than the MTU goes over a hub as several frames") {
  Simulation simulation;
  EthernetRig rig(short_ethernet("hub"));
  rig.send(0, 1, 4000);
  simulation.run([&] { return rig.arrivals.size() == 1; });
  // Two frames of 1526 bytes and one of 1026, with gaps between them.
  CHECK(rig.arrivals[0].when == Time{80_ns * (1526 + 1526 + 1026) + 960_ns * 2});
  CHECK(rig.network->zero_load(0, 1, 4000) == rig.arrivals[0].when.time_since_epoch());
  CHECK(rig.figure("frames") == 3);
  CHECK(rig.network->messages() == 1);
  CHECK(rig.network->in_flight() == 0);
}

TEST_CASE("a message longer than the MTU goes through a switch as several frames, one behind the other") {
  Simulation simulation;
  EthernetRig rig(short_ethernet("switch"));
  rig.send(0, 1, 4000);
  simulation.run([&] { return rig.arrivals.size() == 1; });
  // The switch has the second frame 2 x 1526 bytes and a gap after the start and can forward it 10 us later; the third
  // one follows it on the link to the receiver after a gap.
  CHECK(rig.arrivals[0].when == Time{80_ns * (2 * 1526) + 960_ns + 10_us + 80_ns * (1526 + 1026) + 960_ns});
  CHECK(rig.network->zero_load(0, 1, 4000) == rig.arrivals[0].when.time_since_epoch());
  CHECK(rig.figure("frames") == 3);
}

TEST_CASE("one pair of stations on a hub reaches the payload limit of the wire") {
  Simulation simulation;
  EthernetRig rig(short_ethernet("hub"));
  for (int i = 0; i < 400; ++i) rig.send(0, 1, 1500, {}, true);
  simulation.run([&] { return rig.arrivals.size() == 400; });
  // A payload of 1500 bytes costs 8 + 14 + 1500 + 4 bytes and a gap of 12: 1500 / 1538 of 12.5 MB/s, 12.19 MB/s.
  const double rate = 399 * 1500 / seconds(rig.arrivals.back().when - rig.arrivals.front().when);
  CHECK(rate == Approx(12.5e6 * 1500 / 1538).epsilon(1e-9));
  CHECK(in_order(rig));
}

TEST_CASE("a switch delivers everything once, in order, and counts what passed its links") {
  Simulation simulation;
  EthernetParams params = short_ethernet("switch");
  params.port_buffer = 4000_B;
  EthernetRig rig(params);
  for (int i = 0; i < 40; ++i)
    for (std::uint32_t from = 1; from < 8; ++from) rig.send(from, 0, 1500, {}, true);
  simulation.run([&] { return rig.arrivals.size() == 280; });
  CHECK(in_order(rig));
  CHECK(rig.figure("pauses") > 7);
  CHECK(rig.figure("port0.utilisation") > 0.95);
  CHECK(rig.figure("port1.utilisation") == 0);
  CHECK(rig.network->in_flight() == 0);
}

TEST_CASE("the wave file shows how many stations of a hub send") {
  Simulation simulation;
  test::TemporaryFolder folder;
  WaveFile waves(folder.path / "w.vcd");
  EthernetRig rig(short_ethernet("hub"));
  rig.network->probe({.waves = &waves});
  rig.send(0, 1, 1500, 1_us);
  rig.send(2, 1, 1500, 1_us);
  simulation.run([&] { return rig.arrivals.size() == 2; });
  waves.close();
  // Both start at 1 us and stop after preamble and jam, 96 bits.
  const std::string text = test::TemporaryFolder::read(folder.path / "w.vcd");
  CHECK_THAT(text, Catch::Matchers::ContainsSubstring("sending") &&
                       Catch::Matchers::ContainsSubstring("#1000000\nb10 ") &&
                       Catch::Matchers::ContainsSubstring("#1960000\nb0 "));
}

TEST_CASE("the wave file shows the bytes at the ports of a switch") {
  Simulation simulation;
  test::TemporaryFolder folder;
  WaveFile waves(folder.path / "w.vcd");
  EthernetRig rig(short_ethernet("switch"));
  rig.network->probe({.waves = &waves});
  rig.send(0, 1, 8);
  simulation.run([&] { return rig.arrivals.size() == 1; });
  waves.close();
  // A frame of 72 bytes comes into port 1 after 5760 ns and 10 us, and has left it 5760 ns later.
  const std::string text = test::TemporaryFolder::read(folder.path / "w.vcd");
  CHECK_THAT(text, Catch::Matchers::ContainsSubstring("output") &&
                       Catch::Matchers::ContainsSubstring("#15760000\nb1001000 ") &&
                       Catch::Matchers::ContainsSubstring("#21520000\nb0 "));
}
