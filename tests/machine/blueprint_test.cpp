// SPDX-License-Identifier: MIT
#include "platforms/machine/blueprint.h"

#include <set>

#include "tests/support/catch.h"

using namespace sunstar;
using machine::NodeSpec;
using machine::Role;

namespace {

machine::Blueprint drawn(const machine::MachineParams& params, Problems& problems, std::uint32_t ports = 8,
                         std::uint64_t seed = 1) {
  return machine::draw(params, machine::Places::by_number(ports, "network.ports"), {}, seed, "machine", problems);
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
  CHECK(nodes[4].place == machine::Places::Coordinates{4});
}

TEST_CASE("a blueprint drawn again from its own description is the same") {
  auto params = counts(2, 3, 7);
  params.placement = machine::Placement::random;
  const auto first = drawn(params, 7), again = drawn(first.machine, 99);
  CHECK(again.ports == first.ports);
  CHECK(again.disks() == 7);
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
  io.buses = {{{machine::DriveGroup{2, {}}}}};
  io.place = {1};
  params.nodes = {NodeSpec{}, io, NodeSpec{}};
  const auto blueprint = drawn(params);
  CHECK(blueprint.ports == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(blueprint.compute_processors() == 3);
  CHECK(blueprint.io_processors() == 1);
  CHECK(blueprint.disks() == 2);
}

TEST_CASE("all errors are reported at once, each with its path") {
  machine::MachineParams params;
  NodeSpec compute, io;
  compute.place = {9};
  compute.buses = {{{machine::DriveGroup{1, {}}}}};
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
