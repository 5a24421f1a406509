// SPDX-License-Identifier: MIT
// File systems on nodes whose interfaces have one-sided operations.
#include "tests/support/catch.h"
#include "tests/support/fault_runs.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;

namespace {

machine::Config machine_with(std::string_view interface, std::string_view file_system, const char* pattern) {
  machine::Config config;
  config.machine.compute_processors = config.machine.io_processors = 2;
  config.machine.disks = 4;
  config.machine.network.kind = network::FatTreeParams{.switch_ports = 8, .levels = 2};
  REQUIRE(config.machine.node.interface.kind.choose(interface));
  config.file_system.kind = test::file_system_of(file_system);
  test::pattern_of(config) = {pattern, {8192}, {160 << 10}, ""};
  return config;
}

}  // namespace

TEST_CASE("every file system runs on a fat tree with RDMA") {
  std::vector<machine::Config> configs;
  for (const std::string& file_system : test::over_a_network())
    for (const char* pattern : {"rb", "wcc"}) configs.push_back(machine_with("rdma", file_system, pattern));
  const auto results = test::run_each(configs);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    INFO(configs[i].file_system.kind.kind_name());
    CHECK(results[i].at("verified") == true);
    CHECK(test::count(results[i], "bytes_moved") == 160 << 10);
    // What an interface has sent enters the network, at the latest after the end, when statistics are no longer taken.
    const std::uint64_t sent = test::sum_of(results[i], ".network_interface.sent");
    CHECK(sent >= test::sum_of(results[i], "machine.network.messages"));
    CHECK(sent <= test::count(results[i], "messages"));
  }
}

TEST_CASE("with RDMA and a delivery that acknowledges messages, every file system ends") {
  std::vector<machine::Config> configs;
  for (const std::string& file_system : test::over_a_network()) {
    configs.push_back(machine_with("rdma", file_system, "rcc"));
    REQUIRE(configs.back().machine.delivery.kind.choose("acknowledged"));
  }
  for (const auto& result : test::run_each(configs)) CHECK(result.at("verified") == true);
}

TEST_CASE("with RDMA, disk-directed I/O moves blocks without the compute processors, in as many messages") {
  // 20 blocks of 8 KiB, a piece each.
  for (const char* pattern : {"rb", "wb"}) {
    const auto results = test::run_each(
        {machine_with("messages", "disk-directed", pattern), machine_with("rdma", "disk-directed", pattern)});
    INFO(pattern);
    CHECK(test::sum_of(results[0], ".count.interrupt.remote_memory") == 20);
    CHECK(test::sum_of(results[1], ".count.interrupt.remote_memory") == 0);
    CHECK(test::sum_of(results[1], ".network_interface.served") == 20);
    CHECK(test::count(results[0], "messages") == test::count(results[1], "messages"));
  }
}

TEST_CASE("one-sided operations on a node that stops or reboots end, and what is lost is reported") {
  test::FaultyRuns runs;
  for (const std::string& file_system : test::over_a_network())
    for (const char* pattern : {"rcc", "wb"})
      for (const char* place : {"cp1", "iop1"})
        for (const Duration when : {Duration{}, Duration{10_ms}}) {
          machine::Config config = machine_with("rdma", file_system, pattern);
          config.machine.peers.kind = os::Watched{};
          machine::Fault fault = test::stop(place, when);
          const std::string name = std::string(file_system) + " " + pattern + " " + place;
          runs.add(name, config).faults = {fault};
          fault.effect = node::Reboot{1_ms};
          runs.add(name + ", reboot", config).faults = {fault};
        }
  runs.check_each(
      [](std::size_t, const boost::json::object& result) { CHECK(test::of_faults(result, "struck") == 1); });
}

TEST_CASE("an RDMA interface's latency counts as the network's time in an explanation, not as the memory's") {
  const auto explained = kit::run_trials(2, 2, [](std::uint32_t i) {
    machine::Config config = machine_with("rdma", "disk-directed", "rb");
    node::RdmaParams rdma;
    rdma.latency = (i + 1) * 100_us;
    config.machine.node.interface.kind = rdma;
    kit::Watch watch;
    watch.explain = true;
    return machine::run_trial(config, 0, watch).explanation;
  });
  const auto spent = [&](std::size_t i, std::string_view name) {
    for (const auto& stage : explained[i].at("critical_path").as_array())
      if (stage.at("stage").as_string() == name) return stage.at("time_ps").as_int64();
    return std::int64_t{0};
  };
  const std::int64_t longer = spent(1, "network") - spent(0, "network");
  CHECK(longer > 0);
  CHECK(longer % (100_us).count() == 0);  // whole messages
  CHECK(spent(1, "memory") == spent(0, "memory"));
}
