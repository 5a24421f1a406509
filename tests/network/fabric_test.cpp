// SPDX-License-Identifier: MIT
#include "models/network/fabric.h"

#include <set>

#include "models/network/fixed_delay/fixed_delay_network.h"
#include "tests/support/catch.h"
#include "tests/support/network_rig.h"
#include "tests/support/simulation.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using namespace sunstar::literals;
using network::FixedDelayNetwork;
using test::Simulation;

namespace {

struct Rig : test::FabricRig<FixedDelayNetwork> {
  explicit Rig(network::FixedDelayParams params, network::MessageMonitor* monitor = nullptr)
      : FabricRig(std::make_unique<FixedDelayNetwork>("network", params), monitor) {}

  std::vector<std::pair<std::uint32_t, Time>> senders() const {
    std::vector<std::pair<std::uint32_t, Time>> all;
    for (const auto& a : arrivals) all.emplace_back(a.from, a.when);
    return all;
  }
};
using Senders = std::vector<std::pair<std::uint32_t, Time>>;

}  // namespace

TEST_CASE("a port has sockets once it is asked for them, and they belong to the fabric") {
  Simulation simulation;
  FixedDelayNetwork network("network", {.ports = 100'000});
  const std::size_t before = network.get_child_objects().size();
  const auto& socket = network.from_node(7);
  CHECK(std::string(socket.name()) == "network.from_node_7");
  CHECK(&network.from_node(7) == &socket);
  CHECK(network.get_child_objects().size() == before + 4);  // each of the two sockets is a port and an export
}

TEST_CASE("a fabric holds requests back until the receiver's input FIFO has room, and lets replies pass") {
  // One place, from which a request is taken 10 us after its arrival. That of port 1 arrives at 100 ns; that of port 2
  // leaves at 10,100 and arrives at 10,200 ns; that of port 3 leaves at 20,200. The reply, sent at 2 us, does not wait.
  Simulation simulation;
  Rig rig({.ports = 5, .delay = 100_ns, .input_fifo = 1});
  rig.take_out_after = 10_us;
  for (std::uint32_t port : {1, 2, 3}) rig.send(port, 0, 200);
  rig.send(4, 0, 200, 2_us, true);
  std::vector<std::string> lines;
  rig.network->describe_waiting(lines);
  CHECK(lines == std::vector<std::string>{"message from port 2 waits for room in the input FIFO at port 0",
                                          "message from port 3 waits for room in the input FIFO at port 0"});
  CHECK(rig.network->in_flight() == 4);
  sc_core::sc_start(5, sc_core::SC_US);
  CHECK(rig.network->in_flight() == 2);  // the alarm for the next free place is none
  simulation.run([&] { return rig.arrivals.size() == 4; });
  CHECK(rig.senders() == Senders{{1, Time{100_ns}}, {4, Time{2100_ns}}, {2, Time{10'200_ns}}, {3, Time{20'300_ns}}});
  CHECK(rig.network->in_flight() == 0);
}

TEST_CASE("each request that waits leaves when its place becomes free") {
  // Two places, taken by requests that arrive at 100 and 150 ns and are taken out 10 us later.
  Simulation simulation;
  Rig rig({.ports = 5, .delay = 100_ns, .input_fifo = 2});
  rig.take_out_after = 10_us;
  rig.send(1, 0, 200);
  rig.send(2, 0, 200, 50_ns);
  for (std::uint32_t port : {3, 4}) rig.send(port, 0, 200, 60_ns);
  simulation.run([&] { return rig.arrivals.size() == 4; });
  CHECK(rig.senders() == Senders{{1, Time{100_ns}}, {2, Time{150_ns}}, {3, Time{10'200_ns}}, {4, Time{10'250_ns}}});
}

TEST_CASE("no request overtakes waiting ones, even if it comes when a place becomes free") {
  Simulation simulation;
  Rig rig({.ports = 4, .delay = 100_ns, .input_fifo = 1});
  rig.take_out_after = 10_us;
  rig.send(1, 0, 200);
  rig.send(3, 0, 200, 10'100_ns);
  rig.send(2, 0, 200, 1_us);
  simulation.run([&] { return rig.arrivals.size() == 3; });
  CHECK(rig.senders() == Senders{{1, Time{100_ns}}, {2, Time{10'200_ns}}, {3, Time{20'300_ns}}});
}

TEST_CASE("a full input FIFO does not hold back requests to other ports") {
  Simulation simulation;
  Rig rig({.ports = 4, .delay = 100_ns, .input_fifo = 1});
  rig.take_out_after = 10_us;
  rig.send(1, 0, 200);
  rig.send(2, 0, 200);
  rig.send(2, 3, 200);
  simulation.run([&] { return rig.arrivals.size() == 3; });
  CHECK(rig.arrivals[1].to == 3);
  CHECK(rig.arrivals[1].when == Time{100_ns});
}

TEST_CASE("a fabric delivers in order of time, and at the same time in order of sending") {
  Simulation simulation;
  Rig rig({.ports = 4, .delay = 100_ns});
  rig.send(1, 0, 8, 50_ns);
  rig.send(3, 0, 8, 20_ns);
  rig.send(2, 0, 8, 20_ns);
  rig.send(0, 0, 8);
  simulation.run([&] { return rig.arrivals.size() == 4; });
  CHECK(rig.senders() == Senders{{0, Time{100_ns}}, {3, Time{120_ns}}, {2, Time{120_ns}}, {1, Time{150_ns}}});
}

TEST_CASE("a fabric counts messages, their bytes and the requests it held back, from the last reset on") {
  Simulation simulation;
  Rig rig({.ports = 3, .delay = 100_ns, .input_fifo = 1});
  StatisticSet set;
  rig.network->add_statistics(set);
  const auto values = [&] {
    std::vector<std::pair<std::string, double>> all;
    set.for_each([&](const Statistic& s) { all.emplace_back(s.name, s.value()); });
    return all;
  };
  using Values = std::vector<std::pair<std::string, double>>;
  rig.send(1, 0, 40);
  rig.send(2, 0, 60);
  simulation.run([&] { return rig.arrivals.size() == 2; });
  CHECK(values() == Values{{"network.messages", 2}, {"network.message_bytes", 100}, {"network.held", 1}});
  CHECK(rig.network->messages() == 2);
  CHECK(rig.network->message_bytes() == 100);
  set.reset();
  CHECK(values() == Values{{"network.messages", 0}, {"network.message_bytes", 0}, {"network.held", 0}});
}

TEST_CASE("the delay of short messages varies on their way out of a fabric, that of long ones on their way in") {
  // At 1 byte a ns a message of 400 bytes takes less than the variation of 500 ns, one of 600 bytes more. The
  // short ones enter the fabric when they are sent and arrive at times of their own; the long ones the other way round.
  Simulation simulation;
  struct Noting : FixedDelayNetwork {
    using FixedDelayNetwork::FixedDelayNetwork;
    std::vector<Time> entered;
    void inject(Message message) override {
      entered.push_back(now());
      FixedDelayNetwork::inject(message);
    }
  };
  test::FabricRig<Noting> rig(std::make_unique<Noting>(
      "network", network::FixedDelayParams{
                     .ports = 2, .delay = 100_ns, .port_bandwidth = Bandwidth{1e9}, .timing_variation = 500_ns}));
  for (const std::uint32_t bytes : {400u, 600u}) {
    for (std::uint32_t i = 0; i < 20; ++i) rig.send(1, 0, bytes);
    sc_core::sc_start();
  }
  REQUIRE(rig.arrivals.size() == 40);
  std::set<Time> left, arrived;
  for (std::size_t i = 0; i < 20; ++i) {
    CHECK(rig.network->entered[i] == Time{});
    arrived.insert(rig.arrivals[i].when);
    CHECK(rig.arrivals[i].when < Time{600_ns});
    CHECK(rig.arrivals[20 + i].when == rig.network->entered[20 + i] + 100_ns);
    left.insert(rig.network->entered[20 + i]);
  }
  CHECK(arrived.size() == 20);
  CHECK(left.size() == 20);
}

TEST_CASE("a fabric names its signals after its ports") {
  Simulation simulation;
  test::TemporaryFolder folder;
  WaveFile waves(folder.path / "w.vcd");
  auto fabric = std::make_unique<FixedDelayNetwork>(
      "network", network::FixedDelayParams{.ports = 2, .delay = 100_ns, .input_fifo = 1});
  fabric->probe({.waves = &waves});
  test::FabricRig<FixedDelayNetwork> rig(std::move(fabric));
  rig.take_out_after = 1_us;
  rig.send(1, 0, 8);
  rig.send(1, 0, 8);
  simulation.run([&] { return rig.arrivals.size() == 2; });
  waves.close();
  // Held from the beginning until 1.1 us.
  const std::string text = test::TemporaryFolder::read(folder.path / "w.vcd");
  CHECK_THAT(text, Catch::Matchers::ContainsSubstring("port0") && Catch::Matchers::ContainsSubstring("port1") &&
                       Catch::Matchers::ContainsSubstring("held") &&
                       Catch::Matchers::ContainsSubstring("#1100000\nb0 "));
}

TEST_CASE("a monitor between terminals and fabric counts every message and adds no time") {
  Simulation simulation;
  network::MessageMonitor monitor("monitor", 3);
  Rig rig({.ports = 3, .delay = 100_ns, .input_fifo = 1}, &monitor);
  rig.take_out_after = 1_us;
  rig.send(1, 0, 40);
  rig.send(2, 0, 60);
  CHECK(monitor.sent() == 2);
  CHECK(monitor.sent_bytes() == 100);
  CHECK(monitor.arrived() == 0);
  simulation.run([&] { return rig.arrivals.size() == 2; });
  CHECK(monitor.arrived() == 2);
  CHECK(monitor.arrived_bytes() == 100);
  CHECK(rig.senders() == Senders{{1, Time{100_ns}}, {2, Time{1200_ns}}});
}
