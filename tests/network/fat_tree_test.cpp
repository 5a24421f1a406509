// SPDX-License-Identifier: MIT
#include "models/network/fat_tree/fat_tree.h"

#include <map>
#include <set>

#include "models/network/worm/worm_core.h"
#include "tests/support/catch.h"
#include "tests/support/network_rig.h"
#include "tests/support/simulation.h"

using namespace sunstar;
using namespace sunstar::literals;
using network::FatTree;
using network::FatTreeParams;
using network::UpRouting;
using network::WormCore;
using test::Simulation;

namespace {

/// 8 ports a switch: 4 nodes on a leaf. 1 GB/s, 100 ns a switch, 10 ns a cable: a message of 1000 bytes takes 1 us on a
/// link.
FatTreeParams plain(std::uint32_t levels, UpRouting routing = UpRouting::adaptive) {
  FatTreeParams params;
  params.switch_ports = 8;
  params.levels = levels;
  params.routing = routing;
  params.link_bandwidth = {1e9};
  params.switch_delay = 100_ns;
  params.cable_delay = 10_ns;
  return params;
}

struct TreeRig : test::FabricRig<network::Fabric> {
  explicit TreeRig(const FatTreeParams& params) : FabricRig(test::fabric(params)) {}
};

/// Follows a path by the names of what its links connect.
std::vector<std::string> stations(const FatTree& tree, const std::vector<WormCore::Hop>& path) {
  std::vector<std::string> all;
  for (const auto& hop : path) {
    auto [below, above, port] = tree.ends(hop.channel);
    if (hop.channel % 2 != 0) std::swap(below, above);
    if (!all.empty()) REQUIRE(all.back() == below);
    else all.push_back(below);
    all.push_back(above);
  }
  return all;
}

/// When the last of some messages of 1000 bytes arrives, which leave together.
Time last_of(const FatTreeParams& params, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
  TreeRig rig(params);
  for (const auto& [from, to] : pairs) rig.send(from, to, 1000);
  sc_core::sc_start();
  REQUIRE(rig.arrivals.size() == pairs.size());
  return rig.arrivals.back().when;
}

}  // namespace

TEST_CASE("a fat tree of k-port switches has k, k^2/2 and k^3/4 nodes, and as many links at every level") {
  CHECK(FatTree(8, 1, 8).nodes() == 8);
  const FatTree two(8, 2, 4), three(8, 3, 4);
  CHECK(two.nodes() == 32);
  CHECK(two.switches(0) == 8);
  CHECK(two.switches(1) == 4);
  CHECK(two.channels() == 2 * (32 + 32));
  CHECK(three.nodes() == 128);
  CHECK(three.switches(0) == 32);
  CHECK(three.switches(1) == 32);
  CHECK(three.switches(2) == 16);
  CHECK(three.channels() == 2 * 3 * 128);
  // Six of eight ports down: 48 nodes, and two links up from each of the 8 leaves.
  const FatTree thin(8, 2, 6);
  CHECK(thin.nodes() == 48);
  CHECK(thin.channels() == 2 * (48 + 16));
}

TEST_CASE("a k-ary n-tree has k^n nodes and n levels of k^(n-1) switches") {
  const FatTree two(8, 2, 4, true), three(8, 3, 4, true);
  CHECK(two.nodes() == 16);
  CHECK(two.switches(0) == 4);
  CHECK(two.switches(1) == 4);
  CHECK(three.nodes() == 64);
  for (const std::uint32_t level : {0u, 1u, 2u}) CHECK(three.switches(level) == 16);
  CHECK(three.channels() == 2 * 3 * 64);
}

TEST_CASE("every way through a fat tree leads from node to node over links that meet, by any ports up") {
  for (const FatTree& tree : {FatTree(4, 3, 2), FatTree(8, 2, 6), FatTree(6, 3, 4), FatTree(8, 3, 4, true)})
    for (std::uint32_t from = 0; from < tree.nodes(); ++from)
      for (std::uint32_t to = 0; to < tree.nodes(); ++to)
        for (const std::uint32_t turn : {0u, 1u}) {
          std::vector<WormCore::Hop> path;
          tree.path(from, to, path, [&](const FatTree::Up& up) { return (up.by_destination + turn) % up.ports; });
          const auto way = stations(tree, path);
          REQUIRE(way.front() == "port" + std::to_string(from));
          REQUIRE(way.back() == "port" + std::to_string(to));
          REQUIRE(path.size() == tree.switches_between(from, to) + 1);
        }
}

TEST_CASE(
    "by D-mod-K all messages to a node come down from one switch at the top, and a leaf's nodes use all of them") {
  const FatTree tree(8, 3, 4);
  std::map<std::uint32_t, std::set<std::string>> tops;
  for (std::uint32_t to = 0; to < 16; ++to)
    for (std::uint32_t from = 64; from < 128; ++from) {
      std::vector<WormCore::Hop> path;
      tree.path(from, to, path, [](const FatTree::Up& up) { return up.by_destination; });
      tops[to].insert(stations(tree, path)[3]);
    }
  std::set<std::string> all;
  for (const auto& [to, top] : tops) {
    CHECK(top.size() == 1);
    all.insert(top.begin(), top.end());
  }
  CHECK(all.size() == 16);  // sixteen nodes of one pod, sixteen switches at the top
}

TEST_CASE("alone, a message takes 100 ns a switch, 10 ns a cable, and its time on a link") {
  Simulation simulation;
  TreeRig rig(plain(3));
  rig.send(0, 1, 1000);           // 1 switch, 2 cables
  rig.send(2, 4, 1000);           // 3 switches, 4 cables
  rig.send(3, 127, 1000, 10_us);  // 5 switches, 6 cables
  sc_core::sc_start();
  REQUIRE(rig.arrivals.size() == 3);
  CHECK(rig.arrivals[0].when == Time{1120_ns});
  CHECK(rig.arrivals[1].when == Time{1340_ns});
  CHECK(rig.arrivals[2].when == Time{10'000_ns + 1560_ns});
  CHECK(rig.network->zero_load(3, 127, 1000) == 1560_ns);
}

// Nodes 0 to 3 send to 4, 8, 12 and 16. By D-mod-K all leave their leaf by port 0, where they take turns; adaptive
// routing finds a port for each.
TEST_CASE("messages of a leaf to nodes with the same remainder share one link up by D-mod-K") {
  Simulation simulation;
  CHECK(last_of(plain(2, UpRouting::d_mod_k), {{0, 4}, {1, 8}, {2, 12}, {3, 16}}) == Time{4340_ns});
}
TEST_CASE("messages of a leaf to nodes with the same remainder go up by a link each if the routing is adaptive") {
  Simulation simulation;
  CHECK(last_of(plain(2), {{0, 4}, {1, 8}, {2, 12}, {3, 16}}) == Time{1340_ns});
}

TEST_CASE("by random routing a node's messages go up by all ports about as often") {
  Simulation simulation;
  TreeRig rig(plain(2, UpRouting::random));
  for (int i = 0; i < 400; ++i) rig.send(0, 4, 1000);
  sc_core::sc_start();
  for (const char* port : {"up0", "up1", "up2", "up3"})
    CHECK(test::statistic(*rig.network, std::string("leaf0.") + port + "_utilisation") == Approx(0.25).margin(0.06));
}

namespace {
/// On one switch, node 0 sends to node 1, both of whose virtual channels are busy, twice, and then to node 3. Returns
/// when the third message arrives.
Time third(network::Queues queues) {
  FatTreeParams params = plain(1);
  params.queues = queues;
  TreeRig rig(params);
  for (const std::uint32_t from : {2u, 4u}) rig.send(from, 1, 20000);
  for (const std::uint32_t to : {1u, 1u, 3u}) rig.send(0, to, 1000, 200_ns);
  sc_core::sc_start();
  for (const auto& arrival : rig.arrivals)
    if (arrival.to == 3) return arrival.when;
  return Time{};
}
}  // namespace

TEST_CASE("a message waits behind one for a busy receiver if queues are in order") {
  Simulation simulation;
  CHECK(third(network::Queues::in_order) > Time{20_us});
}
TEST_CASE("a message does not wait behind one for a busy receiver if there is a queue for each destination") {
  Simulation simulation;
  CHECK(third(network::Queues::by_destination) < Time{5_us});
}

TEST_CASE("a fat tree that cannot be built is refused in sentences") {
  FatTreeParams params = plain(3);
  params.switch_ports = 7;
  Problems odd;
  check(params, "machine.network", odd);
  CHECK_THROWS_WITH(odd.throw_if_any(), Catch::Matchers::ContainsSubstring("machine.network.switch_ports is 7") &&
                                            Catch::Matchers::ContainsSubstring("even"));
  params.levels = 2;
  params.half_top = true;
  Problems top;
  check(params, "machine.network", top);
  CHECK_THROWS_WITH(top.throw_if_any(), Catch::Matchers::ContainsSubstring("with half_top it must be even"));
  params = plain(2);
  params.oversubscription = 50;
  Problems thin;
  check(params, "machine.network", thin);
  CHECK_THROWS_WITH(thin.throw_if_any(), Catch::Matchers::ContainsSubstring("leaves no port"));
  params = plain(5);
  params.switch_ports = 64;
  Problems large;
  check(params, "machine.network", large);
  CHECK_THROWS_WITH(large.throw_if_any(), Catch::Matchers::ContainsSubstring("more than 131072 nodes"));
}
