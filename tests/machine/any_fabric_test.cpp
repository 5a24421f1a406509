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
    for (const auto& file_system : file_systems::Kinds::kind_names())
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
    // TCP may acknowledge what it has got after the end, when statistics are no longer taken.
    if (!configs[i].machine.sockets.tcp())
      CHECK(test::sum_of(results[i], ".network_interface.sent") == test::count(results[i], "messages"));
  }
}

TEST_CASE("a fabric too small for the nodes is refused in the fabric's own terms") {
  machine::Config config = machine_on("fixed-delay");
  test::fabric_of<network::FixedDelayParams>(config).ports = 3;
  CHECK_THROWS_WITH(machine::blueprint(config),
                    "machine.network.ports has 3 ports; the machine has 4 nodes, and each needs one of its own.");
}
