// SPDX-License-Identifier: MIT
// Jobs of messages between their nodes, alone and beside jobs that use files.
#include "models/core/error.h"
#include "platforms/kit/config.h"
#include "platforms/machine/report/interference.h"
#include "platforms/machine/run/config.h"
#include "tests/support/catch.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;
using Catch::Matchers::ContainsSubstring;
using test::count;
using test::run_each;
using workload::ExchangeParams;
using workload::ExchangePattern;

namespace {

ExchangeParams exchange(ExchangePattern pattern, Bytes message_size = 4_KiB, std::uint32_t rounds = 5) {
  ExchangeParams params;
  params.pattern = pattern;
  params.message_size = message_size;
  params.rounds = rounds;
  return params;
}

/// A machine of so many compute processors; clocks and messages do not vary.
machine::Config machine_with(const char* preset, std::uint32_t processors, const ExchangeParams& params) {
  machine::Config config = machine::preset(preset);
  config.machine.compute_processors = processors;
  config.machine.io_processors = config.machine.disks = 2;
  config.machine.combined = 0;
  config.machine.node.clock_variation = 0;
  config.machine.network.kind.visit([](auto& fabric) {
    if constexpr (requires { fabric.timing_variation; }) fabric.timing_variation = {};
  });
  config.workload.kind = params;
  return config;
}

const boost::json::object& section(const boost::json::object& result, const char* name) {
  return result.at(name).as_object();
}

/// Half of the processors read a file, half exchange messages.
machine::Config beside_files(std::string_view file_system) {
  machine::Config config = machine_with("torus", 4, {});
  config.file_system.kind = test::file_system_of(file_system);
  workload::PatternParams reads;
  reads.pattern = "rb";
  reads.file_size = {256 << 10};
  config.workload.jobs = {{2, false, {}}, {2, false, {}}};
  config.workload.jobs[0].kind = reads;
  config.workload.jobs[1].kind = exchange(ExchangePattern::all_to_all, 64_KiB, 100);
  return config;
}

constexpr ExchangePattern patterns[] = {ExchangePattern::neighbours, ExchangePattern::all_to_all,
                                        ExchangePattern::allreduce, ExchangePattern::allreduce_ring};

}  // namespace

TEST_CASE("on a torus, a round of two processes takes a message's time") {
  const auto with_rounds = [](std::uint32_t rounds) {
    auto config = machine_with("torus", 2, exchange(ExchangePattern::all_to_all, 8_KiB, rounds));
    test::cube_of(config).shape = {6, 6};
    return config;
  };
  const auto results = run_each({with_rounds(2), with_rounds(12)});
  const double first = results[0].at("elapsed_s").as_double(), all = results[1].at("elapsed_s").as_double();
  // 50 MHz: 20 ns a cycle. Each composes its message (47 cycles: 0.94 us), the DMA fetches it at 400 MB/s (20.48 us),
  // it passes 2 routers of 20 ns and a link of 200 MB/s with 8224 bytes (41.16 us). The other takes the interrupt, the
  // message, whom it is for and its data (45 + 30 + 50 + 36 cycles: 3.22 us), by DMA (20.48 us), and its thread goes on
  // (45 cycles: 0.9 us).
  CHECK((all - first) * 1e6 / 10 == Approx(87.18));
}

TEST_CASE("every message of every pattern arrives, each byte right, on machines of any kind") {
  for (const char* preset : {"torus", "sp2", "cluster", "nvme-cluster"}) {
    std::vector<machine::Config> configs;
    for (const ExchangePattern pattern : patterns) configs.push_back(machine_with(preset, 6, exchange(pattern)));
    const auto results = run_each(configs);
    // Of 6 processes, in 5 rounds: 2 neighbours each; 5 others; 4 * 2 + 2 * 2; 6 * 10 of a sixth, 683 bytes.
    const std::uint64_t messages[] = {60, 150, 60, 300}, bytes[] = {4096, 4096, 4096, 683};
    for (std::size_t i = 0; i < configs.size(); ++i) {
      const boost::json::object& all = section(results[i], "exchange");
      CHECK(results[i].at("verified").as_bool());
      CHECK(count(all, "messages") == messages[i]);
      CHECK(count(all, "bytes") == messages[i] * bytes[i]);
      CHECK(count(results[i], "bytes_verified") == messages[i] * bytes[i]);
      CHECK(count(results[i], "bytes_moved") == messages[i] * bytes[i]);
      CHECK(count(results[i], "calls") == 6 * 5);
      CHECK(count(results[i], "disk_reads") + count(results[i], "disk_writes") == 0);
    }
  }
}

TEST_CASE("a process computes before it exchanges messages, and waits for its period") {
  auto params = exchange(ExchangePattern::neighbours);
  params.compute = 2_ms;
  auto slow = params;
  slow.period = 10_ms;
  const auto results = run_each({machine_with("torus", 4, params), machine_with("torus", 4, slow)});
  for (const auto& result : results) {
    const boost::json::object &all = section(result, "exchange"), &round = section(all, "round"),
                              &messages = section(all, "communication");
    CHECK(round.at("mean_s").as_double() == Approx(2e-3 + messages.at("mean_s").as_double()));
    CHECK(messages.at("p50_s").as_double() < 1e-3);
  }
  // The last of five rounds begins after four periods.
  CHECK(results[1].at("elapsed_s").as_double() ==
        Approx(4 * 10e-3 + section(section(results[1], "exchange"), "round").at("mean_s").as_double()).epsilon(0.01));
}

TEST_CASE("an exchange runs the same with any file system, and twice the same") {
  const auto config = machine_with("torus", 4, exchange(ExchangePattern::allreduce));
  std::vector<machine::Config> configs{config, config};
  for (const char* kind : {"disk-directed", "enwrich", "galley", "pvfs"}) {
    configs.push_back(config);
    configs.back().file_system.kind = test::file_system_of(kind);
  }
  auto results = run_each(configs);
  for (auto& result : results) {
    result.erase("host");
    CHECK(result == results[0]);
  }
}

TEST_CASE("an exchange runs beside a job that uses files, and both slowdowns are told") {
  std::vector<machine::Config> configs;
  for (const std::string& kind : test::over_a_network()) configs.push_back(beside_files(kind));
  for (const auto& result : run_each(configs)) {
    CHECK(result.at("verified").as_bool());
    for (const char* job : {"job0", "job1"}) CHECK(section(result, job).at("slowdown").as_double() > 0.5);
    CHECK(count(section(section(result, "job1"), "exchange"), "messages") == 200);
    CHECK(
        std::ranges::count(result.at("warnings").as_array(),
                           "job 1 exchanges messages, whose bytes count in throughput and bytes_moved beside those of "
                           "files") == 1);
  }
}

TEST_CASE("an explained run names the parts at which its jobs meet") {
  kit::json::object explanation{};
  const machine::BusyParts first{
      {"machine.network.router0.up0", 2e-3}, {"machine.cp0.cpu", 8e-3}, {"machine.cp0.bus", 1}};
  const machine::BusyParts second{
      {"machine.network.router0.up0", 5e-3}, {"machine.cp0.cpu", 1e-3}, {"machine.cp0.bus", 0}};
  machine::add_interference(explanation, {first, second}, {1.25, 1.5}, 0.1);
  const auto& sentences = explanation.at("interference").at("sentences").as_array();
  REQUIRE(sentences.size() == 3);
  CHECK(sentences[0] == "Beside one another, job 0 takes 1.25 times and job 1 1.50 times as long as alone.");
  CHECK(sentences[1] ==
        "They meet most on a link: alone, machine.network.router0.up0 is busy for 2 ms by job 0 and 5 ms by job 1.");
  CHECK(sentences[2] ==
        "They also meet on a processor: alone, machine.cp0.cpu is busy for 8 ms by job 0 and 1 ms by job 1.");
  CHECK(explanation.at("interference").at("parts").as_array().size() == 2);

  machine::add_interference(explanation, {first, {}}, {1, 1}, 0.1);
  CHECK(explanation.at("interference").at("sentences").as_array().at(1) ==
        "They meet nowhere: no part is busy with several of them for long.");
}

TEST_CASE("the utilisations of a run are busy seconds of its parts, and those of a processor are added") {
  const auto share = [](double value) { return boost::json::object{{"value", value}, {"unit", "fraction"}}; };
  CHECK(machine::busy_parts({{"machine.cp0.cpu.thread_utilisation", share(0.25)},
                             {"machine.cp0.cpu.interrupt_utilisation", share(0.5)},
                             {"machine.cp0.bus.utilisation", share(0.125)},
                             {"machine.network.router0.up0_utilisation", share(0.5)},
                             {"machine.iop0_scsi0.disk0.heads_utilisation", share(1)},
                             {"machine.cp0.bus.processor_bytes", share(7)}},
                            2) ==
        machine::BusyParts{{"machine.cp0.cpu", 1.5}, {"machine.cp0.bus", 0.25}, {"machine.network.router0.up0", 1}});
}

TEST_CASE("what a machine cannot have is refused in a sentence") {
  auto params = exchange(ExchangePattern::neighbours);
  params.grid = {2, 3};
  auto config = machine_with("torus", 4, params);
  CHECK(test::refusal(config) ==
        "workload.grid is [2,3], which has 6 places; the application has 4 processes, so the product of the grid's "
        "dimensions must be 4.");
  config.workload.jobs = {{2, false, {}}, {2, false, {}}};
  config.workload.jobs[1].kind = params;
  CHECK_THAT(test::refusal(config), ContainsSubstring("workload.jobs.1.grid is [2,3], which has 6 places"));
  auto endless = exchange(ExchangePattern::all_to_all, 16_MiB, 1'000'000);
  CHECK_THAT(
      test::refusal(machine_with("torus", 400, endless)),
      ContainsSubstring("workload.rounds is 1000000, with which the messages of all processes together have more"));
  const auto said = [](const std::string& setting) -> std::string {
    kit::ConfigInput input;
    input.settings.add("workload.kind=exchange");
    input.settings.add("workload.rounds=100000");
    input.settings.add(setting);
    try {
      kit::load_config<machine::Config>(std::move(input));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  CHECK_THAT(said("workload.message_size=0B"), ContainsSubstring("it must be between 1B and 16MiB"));
  CHECK_THAT(said("workload.message_size=17MiB"), ContainsSubstring("it must be between 1B and 16MiB"));
  CHECK_THAT(said("workload.grid=[0]"), ContainsSubstring("it must be between 1 and 65536"));
  CHECK_THAT(said("workload.period=-1s"), ContainsSubstring("workload.period"));
  for (const std::string name : {"period", "compute"})
    CHECK_THAT(said("workload." + name + "=20s"),
               ContainsSubstring("workload." + name +
                                 " is 20 s in each of 100000 rounds; all rounds together may take "
                                 "at most 1000000 s"));
}

TEST_CASE("a process that has nobody to exchange messages with is told of") {
  const auto results = run_each({machine_with("torus", 1, exchange(ExchangePattern::allreduce)),
                                 machine_with("torus", 1, exchange(ExchangePattern::neighbours))});
  for (const auto& result : results) {
    CHECK(result.at("verified").as_bool());
    CHECK(result.at("warnings").as_array().at(0) ==
          "workload.kind is exchange, but a process has nobody to exchange messages with: its rounds have none");
  }
}

TEST_CASE("messages of a node that has stopped are missing, and the others end their rounds") {
  auto config = machine_with("torus", 4, exchange(ExchangePattern::all_to_all, 4_KiB, 200));
  config.machine.peers.kind = os::Watched{};
  config.faults.push_back(test::stop("cp1", 5_ms));
  const auto result = run_each({config, config}).front();
  const boost::json::object& all = section(result, "exchange");
  // In most of 200 rounds three messages to it and three of its own.
  CHECK(count(all, "missing") > 6 * 100);
  CHECK(count(all, "messages") + count(all, "missing") == 200 * 4 * 3);
  CHECK(result.at("verified").as_bool());
}

TEST_CASE("messages that are lost are sent again") {
  auto config = machine_with("torus", 4, exchange(ExchangePattern::allreduce, 4_KiB, 20));
  config.machine.delivery.kind = os::Acknowledged{};
  machine::Fault fault;
  fault.place = "*router*";
  fault.effect = network::MessageLost{};
  fault.trigger.kind = faults::AtRate{0.05};
  config.faults.push_back(fault);
  const auto result = run_each({config, config}).front();
  CHECK(count(section(result, "exchange"), "messages") == 20 * 8);
  CHECK(section(result, "faults").at("struck").to_number<std::uint64_t>() > 0);
}
