// SPDX-License-Identifier: MIT
#include "models/network/dragonfly/dragonfly.h"

#include <map>

#include "tests/support/catch.h"
#include "tests/support/network_rig.h"
#include "tests/support/simulation.h"

using namespace sunstar;
using namespace sunstar::literals;
using Catch::Matchers::ContainsSubstring;
using network::Dragonfly;
using network::DragonflyParams;
using network::DragonflyRouting;
using Way = Dragonfly::Way;
using Kind = Dragonfly::Kind;
using test::Simulation;

namespace {

/// 2 nodes and 2 global links on each of 4 routers a group. 1 GB/s, 100 ns a router, 10, 20 and 500 ns a cable: a
/// message of 1000 bytes takes 1 us on a link.
DragonflyParams plain(std::uint32_t groups = 9, DragonflyRouting routing = DragonflyRouting::minimal) {
  DragonflyParams params;
  params.groups = groups;
  params.routers = 4;
  params.nodes = params.global_links = 2;
  params.routing = routing;
  params.link_bandwidth = params.global_bandwidth = {1e9};
  params.router_delay = 100_ns;
  params.node_cable = 10_ns;
  params.local_cable = 20_ns;
  params.global_cable = 500_ns;
  params.ugal_threshold = Bytes{2000};
  return params;
}

faults::Strikes from_the_start() { return {{faults::AtTime{}}, {faults::Extent::no_limit}, 1, "test"}; }

struct DragonflyRig : test::FabricRig<network::Fabric> {
  explicit DragonflyRig(const DragonflyParams& params) : FabricRig(test::fabric(params)) {}
  void fault(const std::string& link) {
    for (const auto& each : network->links())
      if (each.name == link) return network->add_fault_at_link(each.channel, network::LinkDown{}, from_the_start());
    FAIL("no link " << link);
  }
  /// What the messages that have arrived by now crossed: the sum of a link's utilisation over its links, in messages of
  /// 1000 bytes.
  double crossed(const std::string& kind) {
    double all = 0;
    for (const auto& link : network->links())
      if (link.name.find(kind) != std::string::npos)
        all += test::statistic(*network, link.name + "_utilisation") * seconds(now().time_since_epoch()) / 1e-6;
    return all;
  }
};

/// All ways between two nodes, straight or over any router.
template <class Visit>
void all_ways(const Dragonfly& d, Visit visit) {
  std::vector<Dragonfly::Hop> path;
  for (std::uint32_t from = 0; from < d.nodes(); from += 3)
    for (std::uint32_t to = 0; to < d.nodes(); ++to)
      for (std::uint32_t over = Way::straight; over == Way::straight || over < d.routers(); ++over)
        for (std::uint16_t copy = 0; copy < d.copies(); ++copy) {
          const std::uint32_t group = d.group_of(d.router_of(from));
          if (over != Way::straight && d.group_of(over) == group) continue;
          d.path(from, to, {over, copy, static_cast<std::uint16_t>(d.copies() - 1 - copy)}, path);
          visit(from, to, over, path);
        }
}

}  // namespace

TEST_CASE("any two routers of a group and any two groups of a dragonfly are connected, both ways") {
  for (const auto& [groups, copies] : std::map<std::uint32_t, std::uint32_t>{{9, 1}, {5, 2}, {4, 2}, {3, 4}, {2, 8}}) {
    const Dragonfly d(plain(groups));
    CHECK(d.nodes() == groups * 8);
    CHECK(d.copies() == copies);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> routers, links;
    for (std::uint32_t c = 2 * d.nodes(); c < d.channels(); ++c) {
      const auto [from, to] = d.ends(c);
      if (d.kind(c) == Kind::local) ++routers[{from, to}];
      if (d.kind(c) == Kind::global) ++links[{from, to}];
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> between;
    for (const auto& [ends, n] : links) {
      REQUIRE(links[{ends.second, ends.first}] == n);
      between[{d.group_of(ends.first), d.group_of(ends.second)}] += n;
    }
    CHECK(routers.size() == groups * 4 * 3);
    CHECK(between.size() == groups * (groups - 1));
    for (const auto& [pair, n] : between) REQUIRE(n == copies);
  }
}

TEST_CASE("every way through a dragonfly leads from node to node over links that meet") {
  for (const std::uint32_t groups : {9u, 4u, 2u}) {
    const Dragonfly d(plain(groups));
    all_ways(d, [&](std::uint32_t from, std::uint32_t to, std::uint32_t over, const std::vector<Dragonfly::Hop>& path) {
      REQUIRE(path.front().channel == d.injection(from));
      REQUIRE(path.back().channel == d.ejection(to));
      std::uint32_t router = d.router_of(from), globals = 0;
      bool there = over == Way::straight || over == router;
      for (std::size_t i = 1; i + 1 < path.size(); ++i) {
        REQUIRE(d.kind(path[i].channel) != Kind::none);
        const auto [here, next] = d.ends(path[i].channel);
        REQUIRE(here == router);
        router = next;
        there |= router == over;
        globals += d.kind(path[i].channel) == Kind::global;
      }
      REQUIRE(router == d.router_of(to));
      REQUIRE(there);
      const bool minimal = over == Way::straight;
      REQUIRE(path.size() <= (minimal ? 5u : 8u));
      REQUIRE(globals <= (minimal ? 1u : 2u));
    });
  }
}

TEST_CASE("with four virtual channels messages cannot wait for one another in a circle, on any way") {
  // Every way goes up this order, so no circle of messages that hold one and wait for another can close.
  const std::map<std::pair<Kind, std::uint32_t>, std::uint32_t> order{{{Kind::local, 0}, 1},  {{Kind::global, 0}, 2},
                                                                      {{Kind::local, 1}, 3},  {{Kind::local, 2}, 4},
                                                                      {{Kind::global, 3}, 5}, {{Kind::local, 3}, 6}};
  const auto goes_up = [&](std::uint32_t virtual_channels, DragonflyRouting routing) {
    DragonflyParams params = plain(5, routing);
    params.virtual_channels = virtual_channels;
    const Dragonfly d(params);
    bool up = true;
    all_ways(d, [&](std::uint32_t, std::uint32_t, std::uint32_t, const std::vector<Dragonfly::Hop>& path) {
      std::uint32_t before = 0;
      for (std::size_t i = 1; i + 1 < path.size(); ++i) {
        const auto place = order.find({d.kind(path[i].channel), path[i].vc});
        up &= place != order.end() && place->second > before;
        if (place != order.end()) before = place->second;
      }
    });
    return up;
  };
  CHECK(goes_up(4, DragonflyRouting::ugal));
  CHECK(goes_up(4, DragonflyRouting::minimal));
  CHECK_FALSE(goes_up(3, DragonflyRouting::ugal));
}

TEST_CASE("alone, a message takes 100 ns a router, its cables, and its time on the slowest link") {
  Simulation simulation;
  DragonflyParams params = plain(9, DragonflyRouting::ugal);
  params.global_bandwidth = {0.5e9};
  DragonflyRig rig(params);
  rig.send(0, 1, 1000);          // 1 router, 2 cables of nodes
  rig.send(2, 4, 1000);          // 2 routers, a local link
  rig.send(8, 0, 1000, 10_us);   // group 1 to group 0 from its first router: 2 routers, a global link
  rig.send(14, 7, 1000, 20_us);  // a local link, the global one and another local one: 4 routers
  sc_core::sc_start();
  REQUIRE(rig.arrivals.size() == 4);
  CHECK(rig.arrivals[0].when == Time{1120_ns});
  CHECK(rig.arrivals[1].when == Time{1240_ns});
  CHECK(rig.arrivals[2].when == Time{10'000_ns + 2720_ns});
  CHECK(rig.arrivals[3].when == Time{20'000_ns + 2960_ns});
  CHECK(rig.network->zero_load(14, 7, 1000) == 2960_ns);
}

// All nodes of group 0 send to group 1, over one global link by minimal routing.
namespace {
double other_global_links(DragonflyRouting routing, int messages) {
  DragonflyRig rig(plain(9, routing));
  for (int i = 0; i < messages; ++i)
    for (std::uint32_t from = 0; from < 8; ++from) rig.send(from, 8 + from, 1000);
  sc_core::sc_start();
  REQUIRE(rig.arrivals.size() == 8 * static_cast<std::size_t>(messages));
  return rig.crossed(".global") - 8 * messages;
}
}  // namespace

TEST_CASE("by minimal routing all messages between two groups cross one global link") {
  Simulation simulation;
  CHECK(other_global_links(DragonflyRouting::minimal, 20) == Approx(0).margin(0.1));
}
TEST_CASE("by UGAL messages take the minimal way while its queue is short") {
  Simulation simulation;
  CHECK(other_global_links(DragonflyRouting::ugal, 1) == Approx(0).margin(0.1));
}
TEST_CASE("by UGAL messages go over other groups when the queue of the minimal way is long") {
  Simulation simulation;
  CHECK(other_global_links(DragonflyRouting::ugal, 20) > 40);
}

TEST_CASE("messages go round a global link that is down over another group, and round a local one") {
  Simulation simulation;
  DragonflyRig rig(plain());
  rig.fault("router0.global0");  // group 0 to group 1
  rig.fault("router0.local1");
  rig.send(0, 8, 1000);
  rig.send(0, 2, 1000);
  rig.send(0, 1, 1000);
  sc_core::sc_start();
  CHECK(rig.arrivals.size() == 3);
  CHECK(rig.crossed(".global") == Approx(4).margin(0.1));
  CHECK(test::statistic(*rig.network, "without_way") == 0);
}

TEST_CASE("a router that is down cuts its nodes off, and others go round it") {
  Simulation simulation;
  DragonflyRig rig(plain());
  rig.network->add_fault_at_router(0, network::RouterDown{}, from_the_start());
  rig.send(2, 0, 1000);  // to a node of the router
  rig.send(1, 9, 1000);  // from one
  rig.send(2, 8, 1000);  // over it, by the minimal way
  sc_core::sc_start();
  REQUIRE(rig.arrivals.size() == 1);
  CHECK(rig.arrivals[0].to == 8);
  CHECK(test::statistic(*rig.network, "without_way") == 2);
  CHECK(rig.network->cut_off(1));
  CHECK_FALSE(rig.network->cut_off(2));
}

TEST_CASE("a dragonfly that cannot be built is refused in sentences, and detours need four virtual channels") {
  const auto problem = [](const DragonflyParams& params) -> std::string {
    Problems problems;
    check(params, "machine.network", problems);
    try {
      problems.throw_if_any();
    } catch (const std::exception& e) {
      return e.what();
    }
    return "";
  };
  CHECK(problem(plain()).empty());
  CHECK_THAT(problem(plain(10)), ContainsSubstring("machine.network.groups is 10; the 8 global links of a group"));
  DragonflyParams params = plain();
  params.routers = 127;
  CHECK_THAT(problem(params), ContainsSubstring("machine.network.routers is 127") && ContainsSubstring("130 ports"));
  params = plain(1024);
  params.routers = 64;
  params.global_links = 20;
  params.nodes = 20;
  CHECK_THAT(problem(params), ContainsSubstring("1310720 nodes"));
  params = plain(9, DragonflyRouting::ugal);
  params.virtual_channels = 2;
  CHECK_THAT(problem(params), ContainsSubstring("machine.network.virtual_channels is 2; ugal needs 4"));
  params = plain();
  params.global_bandwidth = {2e9};
  CHECK_THAT(problem(params), ContainsSubstring("machine.network.global_bandwidth is larger"));
  params = plain();
  params.virtual_channels = 3;
  Simulation simulation;
  CHECK_THAT(DragonflyRig(params).network->unsafe_detours(), ContainsSubstring("virtual_channels is 3"));
}
