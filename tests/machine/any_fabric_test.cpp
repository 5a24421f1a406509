// SPDX-License-Identifier: MIT
// Any file system on any fabric, with or without sockets: nothing above the fabric may know its shape.
#include "tests/support/catch.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;

namespace {

/// Two compute processors and two I/O processors with two disks each, a file of 64 KiB.
machine::Config machine_on(std::string_view fabric) {
  machine::Config config;
  config.machine.compute_processors = config.machine.io_processors = 2;
  config.machine.disks = 4;
  REQUIRE(config.machine.network.kind.choose(fabric));
  test::pattern_of(config) = {"rcc", {512}, {64 << 10}, ""};
  return config;
}

}  // namespace

TEST_CASE("every file system runs on every fabric, with and without sockets") {
  std::vector<machine::Config> configs;
  for (const auto& fabric : network::Fabrics::kind_names())
    for (const std::string& file_system : test::over_a_network())
      for (const auto& sockets : {"none", "tcp"})
        for (const char* pattern : {"rcc", "wb"}) {
          configs.push_back(machine_on(fabric));
          configs.back().file_system.kind = test::file_system_of(file_system);
          REQUIRE(configs.back().machine.sockets.kind.choose(sockets));
          test::pattern_of(configs.back()).pattern = pattern;
        }
  const auto results = test::run_each(configs);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    INFO(configs[i].machine.network.kind.kind_name()
         << " " << configs[i].file_system.kind.kind_name() << " " << configs[i].machine.sockets.kind.kind_name());
    CHECK(results[i].at("verified") == true);
    CHECK(test::count(results[i], "bytes_moved") == 64 << 10);
    CHECK(test::sum_of(results[i], ".network_interface.sent") == test::sum_of(results[i], "machine.network.messages"));
  }
}

TEST_CASE("65,536 compute and 4,096 I/O processors fit on a torus, a switch and a fabric without contention") {
  for (const char* fabric : {"cube", "switch", "fixed-delay"}) {
    machine::Config config = machine_on(fabric);
    config.machine.compute_processors = 65536;
    config.machine.io_processors = config.machine.disks = 4096;
    if (auto* on_switch = config.machine.network.kind.if_is<network::SwitchParams>()) on_switch->ports = 69632;
    if (auto* without = config.machine.network.kind.if_is<network::FixedDelayParams>()) without->ports = 69632;
    const auto blueprint = machine::blueprint(config);
    CHECK(blueprint.machine.nodes.size() == 69632);
    // 263 x 264 is 69,432.
    if (fabric == std::string_view("cube")) CHECK(blueprint.places.shape == std::vector<std::uint32_t>{264, 264});
  }
}

TEST_CASE("a machine too large for its fabric is refused in a sentence") {
  machine::Config config = machine_on("ethernet");
  config.machine.compute_processors = 65536;
  test::fabric_of<network::EthernetParams>(config).ports = 1024;
  CHECK_THROWS_WITH(
      machine::blueprint(config),
      "machine.network.ports has 1024 ports; the machine has 65538 nodes, and each needs one of its own.");
  config.machine.io_processors = config.machine.disks = 4096;
  REQUIRE(config.machine.network.kind.choose("cube"));
  test::fabric_of<network::CubeParams>(config).shape = {256, 256};
  CHECK_THROWS_WITH(
      machine::blueprint(config),
      "machine.network.shape has 65536 routers; the machine has 69632 nodes, and each needs one of its own.");
}

TEST_CASE("a fabric too small for the nodes is refused in the fabric's own terms") {
  machine::Config config = machine_on("fixed-delay");
  test::fabric_of<network::FixedDelayParams>(config).ports = 3;
  CHECK_THROWS_WITH(machine::blueprint(config),
                    "machine.network.ports has 3 ports; the machine has 4 nodes, and each needs one of its own.");
}
