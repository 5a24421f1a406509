// SPDX-License-Identifier: MIT
// A machine on a fabric that is not a cube: nothing above the fabric may know its shape.
#include "platforms/machine/run.h"
#include "tests/support/catch.h"
#include "tests/support/fixed_delay_fabric.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;

namespace {

/// Two compute processors and two I/O processors with two disks each; every message takes 10 us.
machine::Blueprint small_machine(Problems& problems, std::uint32_t ports = 4) {
  machine::MachineParams params;
  params.compute_processors = params.io_processors = 2;
  params.disks = 4;
  const auto make_fabric = [ports](const sc_core::sc_module_name& name, std::uint64_t, Timetable& timetable) {
    network::FabricParams fabric;
    fabric.ports = ports;
    return std::make_unique<test::FixedDelayFabric>(name, fabric, 10_us, &timetable);
  };
  return machine::draw(params, machine::Places::by_number(ports, "network.ports"), make_fabric, 1, "machine", problems);
}

machine::Task task_of(std::string_view file_system, const std::string& pattern) {
  machine::Task task;
  task.file_system.kind = test::file_system_of(file_system);
  task.workload.kind = workload::PatternParams{pattern, {512}, {64 << 10}, ""};
  return task;
}

}  // namespace

TEST_CASE("every file system runs on a machine whose fabric is a fixed delay") {
  Problems problems;
  const auto blueprint = small_machine(problems);
  REQUIRE(problems.empty());
  const std::vector<std::pair<const char*, const char*>> runs{{"traditional-caching", "rcc"},
                                                              {"traditional-caching", "wb"},
                                                              {"disk-directed", "rb"},
                                                              {"disk-directed", "wcc"},
                                                              {"enwrich", "wnb"}};
  const auto results = kit::run_trials(static_cast<std::uint32_t>(runs.size()), 2, [&](std::uint32_t i) {
    return test::figures_of(machine::run_trial(blueprint, task_of(runs[i].first, runs[i].second), 1));
  });
  for (std::size_t i = 0; i < runs.size(); ++i) {
    INFO(runs[i].first << " " << runs[i].second);
    CHECK(results[i].at("verified") == true);
    CHECK(test::count(results[i], "bytes_moved") == 64 << 10);
    CHECK(test::sum_of(results[i], ".network_interface.sent") == test::count(results[i], "messages"));
  }
}

TEST_CASE("a fabric too small for the nodes is refused in the fabric's own terms") {
  Problems problems;
  small_machine(problems, 3);
  REQUIRE(problems.count() == 1);
  CHECK(problems.sentences()[0] ==
        "machine.network.ports has 3 ports; the machine has 4 nodes, and each needs one of its own.");
}
