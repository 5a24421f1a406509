// SPDX-License-Identifier: MIT
#include "platforms/machine/assembly/blueprint.h"

#include <set>

#include "tests/support/catch.h"

using namespace sunstar;
using machine::NodeSpec;
using machine::Role;

namespace {

machine::Blueprint drawn(const machine::MachineParams& params, Problems& problems, std::uint32_t ports = 8,
                         std::uint64_t seed = 1) {
  return machine::draw(params, network::Places::by_number(ports), {}, seed, "machine", problems);
}
machine::Blueprint drawn(const machine::MachineParams& params, std::uint64_t seed = 1) {
  Problems problems;
  auto blueprint = drawn(params, problems, 8, seed);
  CHECK(problems.sentences() == std::vector<std::string>{});
  return blueprint;
}

machine::MachineParams counts(std::uint32_t compute, std::uint32_t io, std::uint32_t disks) {
  machine::MachineParams params;
  params.compute_processors = compute;
  params.io_processors = io;
  params.disks = disks;
  return params;
}

/// Buses that are alike, with drives on each.
machine::BusSpec buses(std::uint32_t count, std::uint32_t drives) {
  return {count, {machine::DriveGroup{drives, {}, {}}}};
}

NodeSpec io_nodes(std::uint32_t count, const machine::BusSpec& bus) {
  NodeSpec io;
  io.count = count;
  io.role = Role::io;
  io.buses = {bus};
  return io;
}

NodeSpec compute_nodes(std::uint32_t count) {
  NodeSpec compute;
  compute.count = count;
  return compute;
}

/// Why it cannot be drawn.
std::vector<std::string> refusal(std::vector<NodeSpec> nodes, std::uint32_t ports = 8) {
  machine::MachineParams params;
  params.nodes = std::move(nodes);
  Problems problems;
  drawn(params, problems, ports);
  return problems.sentences();
}

}  // namespace

TEST_CASE("counts become nodes: compute processors, then I/O processors with their share of the drives") {
  // Seven drives over three I/O processors: 3, 2 and 2.
  const auto blueprint = drawn(counts(2, 3, 7));
  const auto& nodes = blueprint.machine.nodes;
  REQUIRE(nodes.size() == 5);
  CHECK(nodes[1].role == Role::compute);
  std::vector<std::uint32_t> drives;
  for (std::size_t i = 2; i < 5; ++i) {
    CHECK(nodes[i].role == Role::io);
    REQUIRE(nodes[i].buses.size() == 1);
    drives.push_back(nodes[i].buses[0].drive_count());
  }
  CHECK(drives == std::vector<std::uint32_t>{3, 2, 2});
  CHECK(blueprint.ports == std::vector<std::uint32_t>{0, 1, 2, 3, 4});
  CHECK(nodes[4].place == network::Places::Coordinates{4});
}

TEST_CASE("a blueprint drawn again from its own description is the same") {
  auto params = counts(2, 3, 7);
  params.placement = machine::Placement::random;
  const auto first = drawn(params, 7), again = drawn(first.machine, 99);
  CHECK(again.ports == first.ports);
  CHECK(again.machine.disks == 7);
}

TEST_CASE("nodes without a place get the free places in the order of the placement policy") {
  auto params = counts(3, 2, 2);
  params.placement = machine::Placement::alternating;
  CHECK(drawn(params).ports == std::vector<std::uint32_t>{0, 2, 4, 1, 3});
  params.placement = machine::Placement::random;
  const auto one = drawn(params, 1).ports, same = drawn(params, 1).ports, other = drawn(params, 2).ports;
  CHECK(one == same);
  CHECK(one != other);
  CHECK(std::set<std::uint32_t>(one.begin(), one.end()).size() == 5);
}

TEST_CASE("places named in a list are kept, and the other nodes get the places around them") {
  machine::MachineParams params;
  NodeSpec io;
  io.role = Role::both;
  io.buses = {buses(1, 2)};
  io.place = {1};
  params.nodes = {NodeSpec{}, io, NodeSpec{}};
  const auto blueprint = drawn(params);
  CHECK(blueprint.ports == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(blueprint.machine.compute_processors == 3);
  CHECK(blueprint.machine.io_processors == 1);
  CHECK(blueprint.machine.disks == 2);
}

TEST_CASE("counts in the list stand for nodes and buses that are alike") {
  // 3 compute processors and 2 I/O processors with 2 buses of 3 drives each: 5 nodes and 12 drives.
  machine::MachineParams params;
  params.nodes = {compute_nodes(3), io_nodes(2, buses(2, 3))};
  CHECK(machine::node_count(params) == 5);
  const auto blueprint = drawn(params);
  const auto& nodes = blueprint.machine.nodes;
  REQUIRE(nodes.size() == 5);
  CHECK(blueprint.machine.compute_processors == 3);
  CHECK(blueprint.machine.io_processors == 2);
  CHECK(blueprint.machine.disks == 12);
  CHECK(blueprint.ports == std::vector<std::uint32_t>{0, 1, 2, 3, 4});
  for (const NodeSpec& node : nodes) CHECK(node.count == 1);
  for (std::size_t i : {3, 4}) {
    CHECK(nodes[i].role == Role::io);
    REQUIRE(nodes[i].buses.size() == 2);
    for (const auto& bus : nodes[i].buses) {
      CHECK(bus.count == 1);
      CHECK(bus.drive_count() == 3);
    }
  }
  CHECK(drawn(blueprint.machine).machine.nodes.size() == 5);
}

TEST_CASE("the machine by counts has as many nodes as it is said to have") {
  auto params = counts(5, 3, 3);
  CHECK(machine::node_count(params) == 8);
  params.combined = 2;
  CHECK(machine::node_count(params) == 6);
  CHECK(drawn(params).machine.nodes.size() == 6);
}

TEST_CASE("a fault of an entry that stands for several nodes is reported once, with the entry's path") {
  auto placed = compute_nodes(2);
  placed.place = {3};
  CHECK(refusal({placed, io_nodes(1, buses(1, 1))}) ==
        std::vector<std::string>{
            "machine.nodes.0.place is [3], but count is 2; only one node can be there, so leave one of them out."});
  auto alone = compute_nodes(1), with_a_bus = compute_nodes(1);
  alone.place = with_a_bus.place = {3};
  CHECK(refusal({compute_nodes(2), io_nodes(2, buses(1, 1)), alone, with_a_bus}) ==
        std::vector<std::string>{"machine.nodes.3.place is [3], where machine.nodes.2 is already."});
  CHECK(refusal({compute_nodes(6), io_nodes(3, buses(1, 1))}) ==
        std::vector<std::string>{
            "machine.network.ports has 8 ports; the machine has 9 nodes, and each needs one of its own."});
}

TEST_CASE("several connections between two nodes need a network that loses nothing") {
  machine::MachineParams params = counts(1, 1, 1);
  os::SocketParams tcp;
  tcp.connections = 2;
  params.sockets.kind = tcp;
  drawn(params);
  params.delivery.kind = os::Acknowledged{};
  Problems problems;
  drawn(params, problems);
  CHECK(problems.sentences() ==
        std::vector<std::string>{
            "machine.sockets.connections is 2; it must be 1 if machine.delivery.kind is acknowledged."});
}

TEST_CASE("a list may not have more than the counts may say") {
  CHECK(refusal({compute_nodes(65536), compute_nodes(1), io_nodes(1, buses(1, 1))}, 70000) ==
        std::vector<std::string>{
            "machine.nodes has more compute_processors than a machine can have: 65537; the most is 65536."});
  CHECK(refusal({compute_nodes(1), io_nodes(2, buses(64, 1024))}) ==
        std::vector<std::string>{"machine.nodes has more disks than a machine can have: 131072; the most is 65536."});
}

TEST_CASE("all errors are reported at once, each with its path") {
  machine::MachineParams params;
  NodeSpec compute, io;
  compute.place = {9};
  compute.buses = {buses(1, 1)};
  io.role = Role::io;
  params.nodes = {compute, io};
  Problems problems;
  drawn(params, problems);
  CHECK(problems.sentences() ==
        std::vector<std::string>{
            "machine.nodes.0.buses are given for a node whose role is compute; only io and both have buses.",
            "machine.nodes.1.buses is empty; a node whose role is io or both must have a bus with a drive, because "
            "otherwise no request would reach it.",
            "machine.nodes.0.place is [9]; it must have the number of a port, 0 to 7."});
}
