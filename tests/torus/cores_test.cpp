// SPDX-License-Identifier: MIT
// Nodes with several cores. Every run checks all bytes.
#include "tests/support/fault_runs.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using test::count;
using test::run_each;

namespace {

machine::Config with_cores(machine::Config config, std::uint32_t cores,
                           hal::Interrupts interrupts = hal::Interrupts::first_core) {
  config.machine.node.cores = cores;
  config.machine.node.interrupts = interrupts;
  return config;
}

double statistic(const boost::json::object& result, const std::string& name) {
  return result.at("statistics").at(name).at("value").to_number<double>();
}

}  // namespace

TEST_CASE("every file system moves the same bytes right with four cores a node, and the same way each time") {
  std::vector<machine::Config> configs;
  for (const char* file_system : test::every_file_system)
    for (const char* pattern : {"rb", "wb", "rc", "wc"})
      for (const auto interrupts : {hal::Interrupts::first_core, hal::Interrupts::spread})
        for (int repeated = 0; repeated < 2; ++repeated) {
          configs.push_back(with_cores(test::small_torus(file_system), 4, interrupts));
          test::pattern_of(configs.back()) = {pattern, {512}, {96 << 10}, ""};
        }
  const auto results = run_each(configs);
  for (std::size_t i = 0; i < configs.size(); i += 2) {
    INFO(configs[i].file_system.kind.kind_name() << ", " << test::pattern_of(configs[i]).pattern);
    CHECK(results[i].at("verified") == true);
    CHECK(count(results[i], "bytes_moved") >= (96 << 10));
    for (const char* section : {"statistics", "elapsed_s", "messages"})
      CHECK(results[i].at(section) == results[i + 1].at(section));
  }
}

TEST_CASE("several applications, segments of TCP and RDMA work with several cores, too") {
  std::vector<machine::Config> configs;
  for (const char* file_system : test::every_file_system) {
    configs.push_back(with_cores(test::small_torus(file_system), 3, hal::Interrupts::spread));
    test::pattern_of(configs.back()) = {"rc", {512}, {96 << 10}, ""};
    configs.push_back(configs.back());
    configs[configs.size() - 2].machine.sockets.kind = os::SocketParams{};
    configs.back().machine.node.interface.kind = node::RdmaParams{};
  }
  for (const auto& result : run_each(configs)) CHECK(result.at("verified") == true);
}

TEST_CASE("an I/O processor serves small records faster with more cores, until interrupts keep its first core busy") {
  // 16 compute processors read records of 8 bytes from one disk, each one at a time.
  std::vector<machine::Config> configs;
  const auto add = [&](std::uint32_t cores, hal::Interrupts interrupts, double dispatch) {
    configs.push_back(with_cores(test::small_torus(), cores, interrupts));
    machine::Config& c = configs.back();
    c.machine.compute_processors = 16;
    c.machine.io_processors = c.machine.disks = 1;
    c.machine.costs.message_dispatch = Cycles{dispatch};
    test::cube_of(c).shape = {5, 5};
    test::pattern_of(c) = {"rc", {8}, {64 << 10}, ""};
  };
  for (const std::uint32_t cores : {1u, 2u, 4u}) add(cores, hal::Interrupts::first_core, 100);
  for (const auto interrupts : {hal::Interrupts::first_core, hal::Interrupts::spread}) add(4, interrupts, 5000);
  const auto results = run_each(configs);
  const auto faster = [&](std::size_t i, std::size_t than) {
    return results[than].at("elapsed_s").to_number<double>() / results[i].at("elapsed_s").to_number<double>();
  };
  CHECK(faster(1, 0) > 1.6);
  CHECK(faster(2, 0) > 2.4);
  // Each request interrupts for 5000 cycles: the first core does hardly anything else.
  CHECK(statistic(results[3], "machine.iop0.cpu0.interrupt_utilisation") > 0.9);
  CHECK(statistic(results[3], "machine.iop0.cpu1.interrupt_utilisation") == 0);
  CHECK(faster(4, 3) > 2.5);
}

TEST_CASE("a processor's share of time is the mean of its cores', and it has taken the interrupts of all") {
  machine::Config config = with_cores(test::small_torus(), 3, hal::Interrupts::spread);
  test::pattern_of(config) = {"rc", {512}, {96 << 10}, ""};
  const auto result = run_each({config, config}).front();
  for (const char* what : {"thread_utilisation", "interrupt_utilisation", "interrupts"}) {
    double sum = 0;
    for (const char* core : {"cpu0", "cpu1", "cpu2"})
      sum += statistic(result, std::string("machine.iop1.") + core + "." + what);
    CHECK(statistic(result, std::string("machine.iop1.cpu.") + what) ==
          Approx(std::string_view(what) == "interrupts" ? sum : sum / 3));
  }
}

TEST_CASE("nodes with several cores pause, stop and reboot, and what is lost is reported") {
  test::FaultyRuns runs;
  for (const char* file_system : test::every_file_system)
    for (const char* pattern : {"rc", "wb"})
      for (const char* place : {"cp1", "iop1"})
        for (const int effect : {0, 1, 2}) {
          machine::Config config = with_cores(test::small_torus(file_system), 2, hal::Interrupts::spread);
          test::pattern_of(config) = {pattern, {512}, {96 << 10}, ""};
          machine::Fault fault = test::stop(place, std::chrono::milliseconds{20});
          if (effect == 1) fault.effect = node::Reboot{};
          if (effect == 2) fault.effect = node::Pause{std::chrono::milliseconds{200}};
          runs.add(std::string(file_system) + " " + pattern + " " + place + " " + std::to_string(effect), config)
              .faults = {fault};
        }
  runs.check_each([](std::size_t i, const boost::json::object& result) {
    if (i % 3 == 2) test::check_nothing_lost(result);
  });
}

TEST_CASE("a run with several cores is the same whether it is watched or not") {
  machine::Config config = with_cores(test::small_torus(), 2, hal::Interrupts::spread);
  test::pattern_of(config) = {"rc", {512}, {96 << 10}, ""};
  const auto runs = kit::run_trials(2, 1, [&](std::uint32_t i) {
    kit::Watch watch;
    watch.explain = i == 1;
    const auto trial = machine::run_trial(config, 0, watch);
    boost::json::object figures = test::figures_of(trial);
    figures["explain"] = trial.explanation;
    return figures;
  });
  for (const char* section : {"statistics", "elapsed_s"}) CHECK(runs[0].at(section) == runs[1].at(section));
  const boost::json::object& why = runs[1].at("explain").as_object();
  std::int64_t sum = 0;
  for (const auto& stage : why.at("critical_path").as_array()) sum += stage.at("time_ps").as_int64();
  CHECK(sum == why.at("elapsed_ps").as_int64());
}
