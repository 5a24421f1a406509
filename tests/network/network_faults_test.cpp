// SPDX-License-Identifier: MIT
// The effects of faults on messages, on every fabric.
#include "models/network/network_faults.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "models/network/cube/cube_params.h"
#include "models/network/fat_tree/fat_tree.h"
#include "models/network/fixed_delay/fixed_delay_network.h"
#include "models/network/switch/switch.h"
#include "tests/support/catch.h"
#include "tests/support/ethernets.h"
#include "tests/support/network_rig.h"
#include "tests/support/simulation.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/timeline_file.h"

using namespace sunstar;
using namespace sunstar::literals;
using network::Fabric;
using test::Simulation;
using Loss = network::Fabric::Loss;

namespace {

faults::Strikes strikes_at(std::uint64_t number) { return {{faults::AtOperation{number}}, {}, 1, "test"}; }
/// A state from `at` on.
faults::Strikes state_from(Duration at, Duration lasts = {}) {
  return {{faults::AtTime{at}}, {faults::Extent::no_limit, lasts}, 1, "test"};
}

faults::Strikes state_at(std::uint64_t number) {
  return {{faults::AtOperation{number}}, {faults::Extent::no_limit}, 1, "test"};
}

/// Notes what vanishes. Two places in each input FIFO: three that leak block it.
struct FaultyRig : test::FabricRig<Fabric> {
  using Numbers = std::vector<std::uint64_t>;

  explicit FaultyRig(std::unique_ptr<Fabric> fabric, network::MessageMonitor* monitor = nullptr)
      : FabricRig(std::move(fabric), monitor) {
    network->when_dropped = [this, monitor](const network::Route& route, Loss why) {
      ++dropped;
      if (monitor) monitor->dropped(route, why);
    };
    network->when_duplicated = [this, monitor](const network::Route& route) {
      ++duplicated;
      if (monitor) monitor->duplicated(route);
    };
  }
  Numbers numbers() const {
    Numbers all;
    for (const auto& a : arrivals) all.push_back(a.number);
    return all;
  }
  std::uint64_t count(Loss why) const { return network->dropped(why).messages; }
  /// Runs until nothing is left to happen: everything has arrived or vanished.
  void run() {
    sc_core::sc_start();
    CHECK(network->in_flight() == 0);
    CHECK(arrivals.size() + dropped == sent + duplicated);
    CHECK(dropped == count(Loss::no_way) + count(Loss::lost) + count(Loss::refused));
  }
  std::uint64_t dropped = 0, duplicated = 0;
};

std::unique_ptr<Fabric> cube_with(const char* model, std::vector<std::uint32_t> shape = {4, 4},
                                  network::Topology topology = network::Topology::torus) {
  network::CubeParams params;
  params.model = model;
  params.shape = std::move(shape);
  params.topology = topology;
  params.router.vc_class_rule = "dateline";
  params.timing_variation = 0_ns;
  params.input_fifo = 2;
  return make(params, "network", 1, nullptr);
}
std::unique_ptr<Fabric> multistage() {
  network::SwitchParams params;
  params.ports = 16;
  params.timing_variation = 0_ns;
  params.input_fifo = 2;
  return make(params, "network", 1, nullptr);
}
std::unique_ptr<Fabric> fat_tree(network::UpRouting routing = network::UpRouting::adaptive) {
  return make(network::FatTreeParams{.switch_ports = 4, .levels = 3, .routing = routing, .input_fifo = 2}, "network", 1,
              nullptr);
}
std::unique_ptr<Fabric> ethernet_with(const char* medium) {
  network::EthernetParams params = test::short_ethernet(medium);
  params.timing_variation = 0_ns;
  params.input_fifo = 2;
  return make(params, "network", 1, nullptr);
}
std::unique_ptr<Fabric> wires() {
  return make(network::FixedDelayParams{.ports = 8, .delay = 1_us, .input_fifo = 2}, "network", 1, nullptr);
}

// Each fabric is a type, so that each is a case of its own: a process has one simulation.
struct Worms {
  static constexpr auto model = "worm";
  static std::unique_ptr<Fabric> make() { return cube_with(model); }
};
struct Flits {
  static constexpr auto model = "flit";
  static std::unique_ptr<Fabric> make() { return cube_with(model); }
};
struct Multistage {
  static std::unique_ptr<Fabric> make() { return multistage(); }
};
struct FatTree {
  static std::unique_ptr<Fabric> make() { return fat_tree(); }
};
struct Hub {
  static std::unique_ptr<Fabric> make() { return ethernet_with("hub"); }
};
struct SwitchedEthernet {
  static std::unique_ptr<Fabric> make() { return ethernet_with("switch"); }
};
struct FixedDelay {
  static std::unique_ptr<Fabric> make() { return wires(); }
};
#define EVERY_FABRIC Worms, Flits, Multistage, FatTree, Hub, SwitchedEthernet, FixedDelay

/// Ten requests a millisecond apart: the second is lost, the fourth spoilt, the sixth comes twice, the eighth leaves
/// 1.5 ms later and so behind the ninth.
void strike_each(std::unique_ptr<Fabric> fabric) {
  FaultyRig rig(std::move(fabric));
  rig.network->add_fault_at_port(1, network::MessageLost{}, strikes_at(2));
  rig.network->add_fault_at_port(1, network::MessageCorrupted{}, strikes_at(4));
  rig.network->add_fault_at_port(1, network::MessageDuplicated{}, strikes_at(6));
  rig.network->add_fault_at_port(1, network::MessageDelayed{1500_us}, strikes_at(8));
  for (int i = 0; i < 10; ++i) rig.send(1, 0, 200, i * 1000_us);
  rig.send(2, 0, 200, 1_us, true);  // another node's
  rig.run();
  CHECK(rig.numbers() == FaultyRig::Numbers{0, 10, 2, 4, 5, 5, 6, 8, 7, 9});
  CHECK(rig.arrivals[4].when == rig.arrivals[5].when);
  CHECK(rig.arrivals[8].when - rig.arrivals[7].when == 500_us);
  CHECK(rig.count(Loss::lost) == 1);
  CHECK(rig.count(Loss::refused) == 1);
  CHECK(rig.network->duplicated().messages == 1);
  CHECK(rig.network->messages() == 11);
}

/// Port 1 is cut off from 2 to 4 ms. A message from it and one to it, every millisecond; one is under way at 2 ms.
void cut_off(std::unique_ptr<Fabric> fabric) {
  FaultyRig rig(std::move(fabric));
  rig.network->add_fault_at_port(1, network::PortDown{}, state_from(2000_us, 2000_us));
  for (int i = 0; i < 6; ++i) {
    rig.send(1, 0, 200, i * 1000_us + 10_us);
    rig.send(0, 1, 200, i * 1000_us + 20_us);
  }
  rig.send(2, 1, 200, 2000_us - 100_ns);  // 12
  rig.send(2, 0, 200, 2500_us);           // 13: others are not concerned
  rig.run();
  CHECK(rig.numbers() == FaultyRig::Numbers{0, 1, 2, 3, 13, 8, 9, 10, 11});
  CHECK(rig.count(Loss::no_way) == 4);
  CHECK(rig.count(Loss::lost) == 1);
}

/// The node at port 0 stops at 2 ms with three requests before it and one from it on their way, and is there again at 4
/// ms. It has taken no request out of its FIFO: the two that fill it are gone with it.
void stop(std::unique_ptr<Fabric> fabric) {
  FaultyRig rig(std::move(fabric));
  rig.take_out_after = 100'000_us;
  for (int i = 0; i < 3; ++i) rig.send(1, 0, 200, i * 1_us);
  rig.send(2, 0, 200, 1999'950_ns, true);  // 3 and 4 are under way then, 5 has not left its node
  rig.send(0, 3, 200, 1999'950_ns, true);
  rig.send(0, 3, 200, 2001_us);
  sc_core::sc_start(to_sc(2000_us));
  CHECK(rig.numbers() == FaultyRig::Numbers{0, 1});
  rig.network->take_down(0);
  CHECK(rig.dropped == 1);
  rig.send(1, 0, 200, 1000_us);  // 6 finds it down
  rig.send(0, 1, 200, 1000_us);  // 7
  sc_core::sc_start(to_sc(2000_us));
  rig.network->bring_up(0);
  rig.send(0, 1, 200);                                                 // 8
  for (int i = 0; i < 3; ++i) rig.send(1, 0, 200, (i + 1) * 1000_us);  // 9, 10; 11 waits for its FIFO
  rig.run();
  CHECK(rig.numbers() == FaultyRig::Numbers{0, 1, 4, 8, 9, 10, 11});
  CHECK(rig.arrivals[6].when > Time{100'000_us});
}

}  // namespace

TEMPLATE_TEST_CASE("messages are lost, spoilt, duplicated and delayed", "", EVERY_FABRIC) {
  const Simulation simulation;
  strike_each(TestType::make());
}
TEMPLATE_TEST_CASE("a port that is down cuts its node off", "", EVERY_FABRIC) {
  const Simulation simulation;
  cut_off(TestType::make());
}
TEMPLATE_TEST_CASE("no earlier message passes a node that has stopped and come back", "", EVERY_FABRIC) {
  const Simulation simulation;
  stop(TestType::make());
}

namespace {

void add_link(Fabric& fabric, const std::string& name, faults::Strikes strikes) {
  for (const auto& link : fabric.links())
    if (link.name == name) return fabric.add_fault_at_link(link.channel, network::LinkDown{}, std::move(strikes));
  FAIL("no link " << name);
}

/// In a tree of 4-port switches, 0 sends to 2: from leaf0 by port 0 up and down again to leaf1, or by port 1. The first
/// message passes; then a link of the way by port 0 is down.
std::uint64_t arrived_in_tree(const char* link, network::UpRouting routing) {
  FaultyRig rig(fat_tree(routing));
  add_link(*rig.network, link, state_from(1_ms));
  rig.send(0, 2, 200);
  rig.send(0, 2, 200, 2_ms);
  rig.run();
  return rig.arrivals.size();
}

/// Messages in a ring of eight, the shortest way from 1 to 0 being down from 1 ms on: one passes before, one is on
/// the link then and lost, one goes round. From 2 to 1, and back from 0 to 1, nothing changes.
void go_round(const char* model) {
  FaultyRig rig(cube_with(model, {8}));
  add_link(*rig.network, "router1.down0", state_from(1000_us));
  for (const Duration at : {0_us, 990_us, 2000_us}) rig.send(1, 0, 200, at + 100_ns);
  rig.send(1, 0, 2000, 995_us);
  rig.send(2, 1, 200, 2500_us);
  rig.send(0, 1, 200, 2600_us);
  rig.run();
  CHECK(rig.numbers() == FaultyRig::Numbers{0, 1, 2, 4, 5});
  CHECK(rig.arrivals[1].when - Time{990_us} == rig.arrivals[0].when - Time{});
  // Six routers and links more, of 20 ns each.
  CHECK(rig.arrivals[2].when - Time{2000_us} == rig.arrivals[0].when - Time{} + 6 * 20_ns);
  CHECK(rig.count(Loss::lost) == 1);
}

/// Router 5 of a torus of 4 x 4 is down from the second message to it on.
void router_down(const char* model) {
  FaultyRig rig(cube_with(model));
  rig.network->add_fault_at_router(5, network::RouterDown{}, state_at(2));
  rig.send(0, 5, 200);
  rig.send(0, 5, 200, 10_us);
  rig.send(0, 5, 200, 20_us);
  rig.send(5, 0, 200, 20_us);
  rig.send(4, 7, 200, 30_us);  // one link down
  rig.send(4, 6, 200, 30_us);  // both ways of two links are equally short
  rig.send(9, 1, 200, 30_us);
  rig.send(6, 4, 200, 30_us);
  rig.run();
  CHECK(rig.arrivals.size() == 5);
  CHECK(rig.count(Loss::lost) == 1);
  CHECK(rig.count(Loss::no_way) == 2);
}

void no_way_on_a_mesh(const char* model) {
  FaultyRig rig(cube_with(model, {4, 4}, network::Topology::mesh));
  add_link(*rig.network, "router1.up0", state_from(0_us));
  rig.send(0, 2, 200);
  rig.send(2, 0, 200);
  rig.send(0, 1, 200);
  rig.send(0, 9, 200);
  rig.run();
  CHECK(rig.dropped == 1);
}

/// Messages between all routers, while links go down one after the other and come back.
void everything_arrives(const char* model) {
  FaultyRig rig(cube_with(model));
  rig.take_out_after = 1_us;
  add_link(*rig.network, "router1.down0", state_from(0_us));
  add_link(*rig.network, "router6.up1", state_from(100_us, 100_us));
  add_link(*rig.network, "router15.up0", state_from(0_us));
  for (int round = 0; round < 20; ++round)
    for (std::uint32_t from = 0; from < 16; ++from)
      for (std::uint32_t to = 0; to < 16; ++to) rig.send(from, to, 64, round * 20_us, round % 2 == 0);
  rig.run();
  CHECK(rig.count(Loss::no_way) == 0);
  CHECK(rig.arrivals.size() + rig.count(Loss::lost) == 20 * 256);
}

/// A link has messages of its own, and a switch's link no other way.
void link_of(std::unique_ptr<Fabric> fabric, const std::string& name) {
  FaultyRig rig(std::move(fabric));
  std::uint32_t channel = 0;
  for (const auto& link : rig.network->links())
    if (link.name == name) channel = link.channel;
  rig.network->add_fault_at_link(channel, network::MessageLost{}, strikes_at(2));
  rig.network->add_fault_at_link(channel, network::LinkDown{}, state_from(100'000_us));
  for (const std::uint32_t from : {1, 2, 5}) rig.send(from, 3, 200, from * 1000_us);
  rig.send(3, 3, 200, 50'000_us, true);
  rig.send(1, 3, 200, 200'000_us);
  rig.run();
  CHECK(rig.arrivals.size() == 3);
  CHECK(rig.count(Loss::lost) == 1);
  CHECK(rig.count(Loss::no_way) == 1);
}

}  // namespace

TEMPLATE_TEST_CASE("messages go round a link that is down, and one that is on it is lost", "", Worms, Flits) {
  const Simulation simulation;
  go_round(TestType::model);
}
TEMPLATE_TEST_CASE("messages go round a router that is down", "", Worms, Flits) {
  const Simulation simulation;
  router_down(TestType::model);
}
TEMPLATE_TEST_CASE("on a mesh nothing goes round", "", Worms, Flits) {
  const Simulation simulation;
  no_way_on_a_mesh(TestType::model);
}
TEMPLATE_TEST_CASE("while links go down and come back, messages between all routers arrive", "", Worms, Flits) {
  const Simulation simulation;
  everything_arrives(TestType::model);
}
TEST_CASE("a link without another way loses messages, then is down: a switch") {
  const Simulation simulation;
  link_of(multistage(), "port3");
}
TEST_CASE("a link without another way loses messages, then is down: a switched Ethernet") {
  const Simulation simulation;
  link_of(ethernet_with("switch"), "port3");
}
TEST_CASE("a link without another way loses messages, then is down: a hub") {
  const Simulation simulation;
  link_of(ethernet_with("hub"), "hub");
}

TEST_CASE("a monitor counts what vanishes and what comes twice, and its timeline ends every span") {
  const Simulation simulation;
  const test::TemporaryFolder folder;
  Timeline timeline(folder.path / "t.json");
  network::MessageMonitor monitor("monitor", 8);
  FaultyRig rig(wires(), &monitor);
  for (std::uint32_t p = 0; p < 8; ++p) monitor.set_name(p, "machine.node" + std::to_string(p) + ".interface");
  monitor.probe({.timeline = &timeline}, *rig.network);
  rig.network->add_fault_at_port(1, network::MessageLost{}, strikes_at(1));
  rig.network->add_fault_at_port(1, network::MessageCorrupted{}, strikes_at(2));
  rig.network->add_fault_at_port(1, network::MessageDuplicated{}, strikes_at(3));
  rig.network->add_fault_at_port(2, network::PortDown{}, state_from(0_us));
  for (int i = 0; i < 4; ++i) rig.send(1, 0, 200, i * 100_us);
  rig.send(1, 2, 200);
  rig.run();
  timeline.close();
  CHECK(monitor.sent() == 5);
  CHECK(monitor.sent() == rig.network->messages() + rig.count(Loss::no_way));
  CHECK(monitor.arrived() == rig.network->messages() - rig.count(Loss::lost) + rig.duplicated);
  CHECK(monitor.arrived_bytes() == 4 * 200);
  std::vector<std::string> spans;
  for (const auto& span : test::TimelineFile(folder.path / "t.json").spans) spans.push_back(span.name);
  std::ranges::sort(spans);
  CHECK(spans == std::vector<std::string>{"to node0", "to node0", "to node0", "to node0", "to node0 is lost",
                                          "to node2 has no way"});
}

TEST_CASE("messages go round a link of a fat tree that is down, on their way up, if the routing is adaptive") {
  const Simulation simulation;
  CHECK(arrived_in_tree("leaf0.up0", network::UpRouting::adaptive) == 2);
}
TEST_CASE("messages go round a link of a fat tree that is down, on their way down, if the routing is adaptive") {
  const Simulation simulation;
  CHECK(arrived_in_tree("leaf1.down0", network::UpRouting::adaptive) == 2);
}
TEST_CASE("messages are lost where a link of a fat tree is down and the routing is not adaptive") {
  const Simulation simulation;
  CHECK(arrived_in_tree("leaf1.down0", network::UpRouting::d_mod_k) == 1);
}
