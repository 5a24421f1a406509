// SPDX-License-Identifier: MIT
// The benchmark IOR on every file system. Every run checks all bytes.
#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;
using Catch::Matchers::ContainsSubstring;
using test::count;
using test::run_each;
using Together = workload::IorCollective;

namespace {

workload::IorParams& ior_of(machine::Config& c) { return c.workload.kind.as<workload::IorParams>(); }

/// Four tasks, three segments with blocks of two transfers of 4,701 bytes, which no block of the file system holds.
machine::Config ior_torus(std::string_view file_system, workload::IorCollective collective) {
  machine::Config config = test::small_torus(file_system);
  config.machine.compute_processors = 4;
  test::cube_of(config).shape = {3, 2};
  workload::IorParams params;
  params.transfer_size = 4701_B;
  params.block_size = 9402_B;
  params.segments = 3;
  params.collective = collective;
  params.reorder_nodes = 1;
  config.workload.kind = params;
  return config;
}

double of_phase(const boost::json::object& result, const char* phase, const char* key) {
  return result.at("ior").at(phase).at(key).to_number<double>();
}

}  // namespace

TEST_CASE("IOR writes and reads back every byte on every file system, by calls and by collectives") {
  std::vector<machine::Config> configs;
  std::vector<std::uint64_t> units;
  const auto add = [&](const machine::Config& config, std::uint64_t calls) {
    for (const bool fsync : {false, true}) {
      configs.push_back(config);
      ior_of(configs.back()).fsync = fsync;
      units.push_back(calls);
    }
  };
  for (const char* file_system : {"traditional-caching", "enwrich", "galley", "pvfs", "hybrid"}) {
    machine::Config config = ior_torus(file_system, Together::none);
    add(config, 2 * 4 * 6);
    ior_of(config).random_offsets = true;
    add(config, 2 * 4 * 6);
    ior_of(config).file_per_task = true;
    add(config, 2 * 4 * 6);
    ior_of(config).random_offsets = false;
    add(config, 2 * 4 * 6);
  }
  for (const char* file_system : {"disk-directed", "two-phase", "hybrid"}) {
    add(ior_torus(file_system, Together::transfer), 2 * 6);
    add(ior_torus(file_system, Together::phase), 2);
  }
  const auto results = run_each(configs);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    INFO(configs[i].file_system.kind.kind_name() << " " << i);
    CHECK(results[i].at("verified") == true);
    CHECK(count(results[i], "calls") == units[i]);
    CHECK(count(results[i], "bytes_moved") == 2 * 4 * 3 * 9402);
    CHECK(count(results[i], "bytes_verified") == 2 * 4 * 3 * 9402);
    const double write = of_phase(results[i], "write", "elapsed_s"), read = of_phase(results[i], "read", "elapsed_s");
    CHECK(write > 0);
    CHECK(read > 0);
    CHECK(write + read <= results[i].at("elapsed_s").as_double());
    CHECK(of_phase(results[i], "write", "mib_per_s") == Approx(4 * 3 * 9402 / write / (1 << 20)));
  }
}

TEST_CASE("with fsync the time of IOR's write phase includes that of the disks") {
  std::vector<machine::Config> configs(3, ior_torus("traditional-caching", Together::none));
  configs[1].file_system.kind = test::file_system_of("two-phase");
  ior_of(configs[1]).collective = Together::phase;
  configs[2].file_system.kind = test::file_system_of("enwrich");
  for (std::size_t i = 0; i < 3; ++i) {
    ior_of(configs[i]).read = false;
    configs.push_back(configs[i]);
    ior_of(configs.back()).fsync = true;
  }
  const auto results = run_each(configs);
  for (std::size_t i = 0; i < 3; ++i) {
    INFO(i);
    CHECK(of_phase(results[i], "write", "elapsed_s") < 0.8 * results[i].at("elapsed_s").as_double());
    CHECK(of_phase(results[i + 3], "write", "elapsed_s") > 0.99 * results[i].at("elapsed_s").as_double());
  }
}

TEST_CASE("with fsync all of IOR's file is on the media when its write phase ends, on every file system") {
  std::vector<machine::Config> configs;
  const auto add = [&](const char* file_system, Together collective) {
    configs.push_back(ior_torus(file_system, collective));
    ior_of(configs.back()).read = false;
    ior_of(configs.back()).fsync = true;
  };
  for (const char* file_system : {"traditional-caching", "enwrich", "galley", "pvfs", "hybrid"})
    add(file_system, Together::none);
  for (const char* file_system : {"disk-directed", "two-phase", "hybrid"}) add(file_system, Together::transfer);
  configs.push_back(configs[1]);
  configs.back().file_system.kind.as<file_systems::enwrich::Params>().enwrich.done_when =
      file_systems::enwrich::DoneWhen::fetched;
  const auto results = run_each(configs);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    INFO(configs[i].file_system.kind.kind_name() << " " << i);
    const double waited = results[i].at("application_s").as_double(), elapsed = results[i].at("elapsed_s").as_double();
    CHECK(of_phase(results[i], "write", "elapsed_s") == Approx(waited).margin(1e-4));
    // The run's own end finds nothing to write, and the drives neither.
    CHECK(elapsed - waited < 1e-4);
    CHECK(results[i].at("throughput").at("medium_mib_per_s") == results[i].at("throughput").at("mib_per_s"));
  }
}

TEST_CASE("IOR ends soon after its deadline, with equally many transfers of each task") {
  std::vector<machine::Config> configs;
  for (const char* file_system : {"traditional-caching", "enwrich", "galley", "pvfs", "hybrid"}) {
    configs.push_back(ior_torus(file_system, Together::none));
    ior_of(configs.back()).segments = 400;
    ior_of(configs.back()).deadline = std::chrono::milliseconds(20);
  }
  configs.push_back(configs.front());
  ior_of(configs.back()).write = false;
  configs.push_back(configs.front());  // calls that would be carried out as one look at the clock, too
  configs.back().file_system.kind.as<file_systems::traditional_caching::Params>().strided = true;
  for (const auto& result : run_each(configs)) {
    CHECK(result.at("verified") == true);
    const auto transfers = static_cast<std::uint64_t>(of_phase(result, "read", "transfers"));
    CHECK(transfers % 4 == 0);
    CHECK(transfers >= 4);
    CHECK(transfers < 4 * 800);
    const bool writes = result.at("ior").as_object().contains("write");
    CHECK(count(result, "calls") == (writes ? 2 : 1) * transfers);
    CHECK(of_phase(result, writes ? "write" : "read", "elapsed_s") > 0.02);
  }
}

TEST_CASE("IOR is one of several applications, and each has its own figures") {
  machine::Config config = ior_torus("traditional-caching", Together::none);
  workload::IorParams params = ior_of(config);
  params.deadline = std::chrono::milliseconds(10);
  workload::JobParams job;
  job.processors = 2;
  job.kind = params;
  config.workload.jobs.assign(2, job);
  machine::Config collective = ior_torus("disk-directed", Together::phase);
  job.kind = ior_of(collective);
  collective.workload.jobs.assign(2, job);
  for (const auto& result : run_each({config, collective})) {
    CHECK(result.at("verified") == true);
    for (const char* name : {"job0", "job1"})
      CHECK(result.at(name).at("ior").at("write").at("elapsed_s").to_number<double>() > 0);
  }
}

TEST_CASE("what a file system cannot do of IOR is refused with the ones that can") {
  CHECK_THAT(test::refusal(ior_torus("disk-directed", Together::none)),
             ContainsSubstring(
                 "workload.kind is ior, whose requests are calls of single processors, but disk-directed carries "
                 "out collectives here") &&
                 ContainsSubstring("or collective to transfer or phase"));
  CHECK_THAT(test::refusal(ior_torus("galley", Together::phase)),
             ContainsSubstring(
                 "workload.collective: the requests of ior are collectives here, but galley carries out calls of "
                 "single processors; set file_system.kind to disk-directed, two-phase or hybrid"));
  machine::Config crowded = ior_torus("enwrich", Together::none);
  ior_of(crowded).tasks_per_node = 2;
  CHECK_THAT(test::refusal(crowded),
             ContainsSubstring("several processes on a compute processor, but enwrich runs one on each"));
  machine::Config stopped = ior_torus("traditional-caching", Together::none);
  ior_of(stopped).deadline = std::chrono::seconds(1);
  stopped.faults.push_back(test::stop("cp1", std::chrono::milliseconds(1)));
  CHECK_THAT(test::refusal(stopped), ContainsSubstring("faults: the workload stops at a deadline"));
  ior_of(stopped).deadline = {};
  CHECK(test::refusal(stopped).empty());
}
