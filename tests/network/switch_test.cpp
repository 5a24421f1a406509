// SPDX-License-Identifier: MIT
#include "models/network/switch/switch.h"

#include "tests/support/catch.h"
#include "tests/support/network_rig.h"
#include "tests/support/simulation.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using namespace sunstar::literals;
using network::SwitchCore;
using network::SwitchParams;
using test::Simulation;

namespace {

/// 100 MB/s, 100 ns a chip, no buffers: a message of 1000 bytes takes 10 us on a link.
SwitchParams plain() {
  SwitchParams params;
  params.ports = 32;
  params.port_bandwidth = 100_MBps;
  params.chip_delay = 100_ns;
  params.chip_buffer = 0_B;
  return params;
}

struct SwitchRig : test::FabricRig<network::Fabric> {
  explicit SwitchRig(const SwitchParams& params) : FabricRig(test::fabric(params)) {}
};

}  // namespace

TEST_CASE("a message crosses one chip to its neighbours, three in its frame, four or five to another frame") {
  SwitchParams params = plain();
  const SwitchCore two_frames(params);
  CHECK(two_frames.chips(0, 3) == 1);
  CHECK(two_frames.chips(0, 4) == 3);
  CHECK(two_frames.chips(0, 15) == 3);
  CHECK(two_frames.chips(0, 16) == 4);
  params.ports = 81;  // more than five frames of 16
  CHECK(SwitchCore(params).chips(0, 16) == 5);
}

TEST_CASE("without contention a message takes the delay of its chips and its length") {
  // 3 chips of 100 ns and 1000 bytes at 100 MB/s.
  SwitchCore core(plain());
  CHECK(core.zero_load(0, 4, 1000) == 10'300_ns);
  CHECK(core.send(Time{1_us}, 0, 4, 1000) == Time{11'300_ns});
  CHECK(core.link_free(0) == Time{11_us});
}

TEST_CASE("messages to one port follow one another, and waiting ones hold their senders' links") {
  SwitchCore core(plain());
  CHECK(core.send(Time{}, 0, 4, 1000) == Time{10'300_ns});
  CHECK(core.send(Time{}, 1, 4, 1000) == Time{20'300_ns});  // its head waits for the first one's tail
  CHECK(core.link_free(0) == Time{10_us});
  CHECK(core.link_free(1) == Time{20_us});  // without buffers its tail leaves as it arrives, less the chips' delay
  CHECK(core.send(Time{}, 2, 5, 1000) == Time{10'300_ns});  // another port is not concerned
}

TEST_CASE("the buffers on its way take in a message that waits, as far as they go") {
  SwitchParams params = plain();
  params.chip_buffer = 100_B;  // three chips hold 300 bytes, 3 us
  SwitchCore core(params);
  core.send(Time{}, 0, 4, 1000);
  CHECK(core.send(Time{}, 1, 4, 1000) == Time{20'300_ns});
  CHECK(core.link_free(1) == Time{17_us});
  params.chip_buffer = 1_KiB;
  SwitchCore large(params);
  large.send(Time{}, 0, 4, 1000);
  large.send(Time{}, 1, 4, 1000);
  CHECK(large.link_free(1) == Time{10_us});
}

TEST_CASE("a switch delivers every message, those of one sender in order, and counts what passed its links") {
  Simulation simulation;
  SwitchRig rig(plain());
  for (int i = 0; i < 3; ++i) {
    rig.send(0, 4, 1000);
    rig.send(1, 4, 1000);
    rig.send(1, 8, 500);
  }
  simulation.run([&] { return rig.arrivals.size() == 9; });
  std::vector<std::uint64_t> of_one;
  for (const auto& a : rig.arrivals)
    if (a.from == 1) of_one.push_back(a.number);
  // Port 4 gets 6 messages of 10 us after 300 ns; the last of port 1 to port 8 can leave when its message before has.
  CHECK(std::ranges::is_sorted(of_one));
  Time last{};
  for (const auto& a : rig.arrivals)
    if (a.to == 4) last = std::max(last, a.when);
  CHECK(last == Time{60'300_ns});
  CHECK(rig.network->in_flight() == 0);
  CHECK(rig.network->messages() == 9);
  CHECK(test::statistic(*rig.network, "port4.utilisation") > 0.9);
}

TEST_CASE("the wave file shows whose message passes each link, and how many wait behind it") {
  Simulation simulation;
  test::TemporaryFolder folder;
  WaveFile waves(folder.path / "w.vcd", {.scope = Scope("port0,port4")});
  SwitchRig rig(plain());
  rig.network->probe({.waves = &waves});
  rig.send(0, 4, 1000);
  rig.send(0, 4, 500);
  simulation.run([&] { return rig.arrivals.size() == 2; });
  waves.close();
  // The first message passes from 0.3 us to 10.3 us, the second from then to 15.3 us; it left its port at 10 us.
  const std::string text = test::TemporaryFolder::read(folder.path / "w.vcd");
  CHECK_THAT(text, Catch::Matchers::ContainsSubstring("#300000\nb0 ") &&
                       Catch::Matchers::ContainsSubstring("#15300000\nb11111111") &&
                       Catch::Matchers::ContainsSubstring("leaving") &&
                       Catch::Matchers::ContainsSubstring("#10000000\nb0 "));
}

TEST_CASE("a frame consists of whole chips") {
  SwitchParams params = plain();
  params.nodes_per_frame = 6;
  Problems problems;
  check(params, "machine.network", problems);
  CHECK_THROWS_WITH(problems.throw_if_any(),
                    Catch::Matchers::ContainsSubstring("machine.network.nodes_per_frame is 6; it must be a multiple of "
                                                       "nodes_per_chip, 4"));
}
