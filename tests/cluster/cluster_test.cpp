// SPDX-License-Identifier: MIT
// PVFS on whole machines. Every run checks its own bytes, and fails if any is wrong.
#include "models/core/error.h"
#include "platforms/kit/run/trials.h"
#include "platforms/machine/run/config.h"
#include "tests/support/catch.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;
using Catch::Matchers::ContainsSubstring;
using test::count;
using test::run_each;
using workload::SharingOperation;
using workload::SharingParams;

namespace {

/// Two processes that move 384 KiB in requests of 16 KiB, each of which is a working set.
SharingParams small(SharingOperation operation = SharingOperation::read) {
  SharingParams params;
  params.nodes = 2;
  params.file_size = params.bytes = 384_KiB;
  params.request_size = params.working_set = 16_KiB;
  params.operation = operation;
  return params;
}
machine::Config cluster_with(const SharingParams& params) {
  machine::Config config = machine::preset("cluster");
  config.workload.kind = params;
  return config;
}
file_systems::pvfs::Params& pvfs(machine::Config& config) {
  return config.file_system.kind.as<file_systems::pvfs::Params>();
}
std::uint64_t of_cache(const boost::json::object& result, const char* key) {
  return result.at("cache").at(key).to_number<std::uint64_t>();
}
double application_s(const boost::json::object& result) { return result.at("application_s").to_number<double>(); }

}  // namespace

TEST_CASE("a cluster moves every byte with any operation, cache, network and roles of the nodes") {
  std::vector<machine::Config> configs;
  for (const auto operation : {SharingOperation::read, SharingOperation::write, SharingOperation::sync_write})
    for (const char* medium : {"hub", "switch"})
      for (const bool enabled : {true, false})
        for (const std::uint32_t combined : {0u, 1u, 2u}) {
          SharingParams params = small(operation);
          params.instances = 2;
          params.sharing = params.locality = 0.5;
          machine::Config config = cluster_with(params);
          test::fabric_of<network::EthernetParams>(config).medium = medium;
          config.machine.compute_processors = config.machine.io_processors = config.machine.disks = 2;
          config.machine.combined = combined;
          config.file_system.block_size = 16_KiB;
          pvfs(config).module.enabled = enabled;
          pvfs(config).module.size = 64_KiB;
          configs.push_back(config);
        }
  for (const auto& result : run_each(configs)) {
    CHECK(result.at("verified").as_bool());
    CHECK(count(result, "bytes_moved") == 2 * 384 * 1024);
    CHECK(count(result, "calls") == 2 * 24);
  }
}

TEST_CASE("hits are what the addresses make them") {
  std::vector<machine::Config> configs;
  for (const double locality : {0.0, 0.5, 1.0}) {
    SharingParams params = small();
    params.locality = locality;
    configs.push_back(cluster_with(params));
  }
  SharingParams both = small();
  both.instances = 2;
  both.sharing = 1;
  configs.push_back(cluster_with(both));
  both.placement = workload::Placement::different;
  configs.push_back(cluster_with(both));
  const auto results = run_each(configs);
  // Of 96 blocks of 4 KiB: none, every second request's, all but those of each process's first request.
  CHECK(of_cache(results[0], "hits") == 0);
  CHECK(of_cache(results[1], "hits") == 48);
  CHECK(of_cache(results[2], "hits") == 96 - 2 * 4);
  // Two instances on the same nodes ask for each block once, on different nodes twice.
  CHECK(of_cache(results[3], "misses") == 96);
  CHECK(of_cache(results[4], "misses") == 192);
}

TEST_CASE("a cache of the paper's size hits as often as locality and sharing say") {
  std::vector<machine::Config> configs;
  std::vector<Approx> expected;
  for (const double locality : {0.5, 1.0})
    for (const double shared : {0.0, 0.25, 0.5, 1.0})
      for (const Bytes request : {4_KiB, 64_KiB, 256_KiB}) {
        for (const std::uint32_t passes : {1u, 2u}) {
          SharingParams params;
          params.nodes = params.instances = 2;
          params.file_size = 8_MiB;
          params.bytes = {passes * params.file_size.count};
          params.iterations = passes;
          params.request_size = request;
          params.locality = locality;
          params.sharing = shared;
          configs.push_back(cluster_with(params));
        }
        // Of what is new to one of two processes, the other has brought half of the shared part.
        // Of requests as large as two working sets, the harvester may take one or two before they are repeated.
        const double blocks = 4096 * (locality + (1 - locality) * shared / 2);
        expected.push_back(Approx(blocks).margin(request == 256_KiB ? 2 * 64 : 0.5));
      }
  const auto results = run_each(configs);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto in_second_pass = [&](const char* key) {
      return static_cast<double>(of_cache(results[2 * i + 1], key) - of_cache(results[2 * i], key));
    };
    INFO("point " << i);
    // Where both ask for a block at once, it is on its way.
    CHECK(in_second_pass("hits") + in_second_pass("joined") == expected[i]);
  }
}

TEST_CASE("the hub carries what its payload allows, and hits do not touch it") {
  SharingParams params = small();
  params.nodes = 4;
  params.file_size = params.bytes = 12_MiB;
  params.request_size = 64_KiB;
  machine::Config config = cluster_with(params);
  config.machine.io_processors = config.machine.disks = 6;
  pvfs(config).module.enabled = false;
  machine::Config repeating = cluster_with(params);
  repeating.workload.kind.as<SharingParams>().locality = 1;
  const auto results = run_each(std::vector{config, repeating});
  // A frame of 1538 byte times carries 1460 bytes: 11.87 MB/s at most. A sixth of the bytes stays on its node, besides
  // what acknowledgements, requests and collisions take.
  const double rate = 12 * 1048576 * 5 / 6.0 / application_s(results[0]);
  CHECK(rate < 11.87e6);
  CHECK(rate > 0.7 * 11.87e6);
  CHECK(application_s(results[1]) < 0.1 * application_s(results[0]));
}

TEST_CASE("a processor that copies from its cache all the time leaves the memory to others' requests to its disk") {
  // Node 0 has the first block soon, and copies it from its cache; the other processes wait for the disk of that node.
  // How often it copies must not matter to them, even if each byte costs less than the memory takes for it.
  std::vector<machine::Config> configs;
  for (const std::uint32_t passes : {2u, 6u}) {
    SharingParams params = small();
    params.nodes = 4;
    params.file_size = 24_MiB;
    params.bytes = {passes * params.file_size.count};
    params.request_size = 4_KiB;
    params.locality = 1;
    params.iterations = passes;
    machine::Config config = cluster_with(params);
    config.machine.costs.copy_per_byte = Cycles{0.8};
    configs.push_back(config);
  }
  const auto results = run_each(configs);
  const auto longest = [&](std::size_t i) { return results[i].at("latency").at("max_s").to_number<double>(); };
  CHECK(longest(1) == Approx(longest(0)).epsilon(0.01));
}

TEST_CASE("a request for a cached block costs what its calls and primitives cost, and the overhead") {
  SharingParams params = small();
  params.nodes = 1;
  params.locality = 1;
  params.request_size = 4_KiB;
  machine::Config slow = cluster_with(params);
  slow.machine.node.clock_variation = 0;
  machine::Config plain = slow;
  pvfs(plain).module.overhead = {};
  const auto results = run_each(std::vector{plain, slow});
  // Of 96 requests for a block 95 hit: file_call 640, socket_write 4000, twice socket_read 8000, cache_lookup 165, copy
  // 300, 4096 times 2.7 cycles at 800 MHz. The overhead's 308,000 cycles are 385 us.
  const auto median = [](const boost::json::object& result) {
    return result.at("latency").at("p50_s").to_number<double>();
  };
  CHECK(median(results[0]) == Approx((640 + 4000 + 2 * 8000 + 165 + 300 + 4096 * 2.7) / 800e6).epsilon(0.01));
  CHECK(median(results[1]) - median(results[0]) == Approx(385e-6).epsilon(0.001));
}

TEST_CASE("a second reader gains what a first one has brought, unless the cache is too small") {
  SharingParams params = small();
  params.instances = 2;
  params.sharing = 1;
  machine::Config large = cluster_with(params), none = large;
  pvfs(none).module.enabled = false;
  const auto results = run_each(std::vector{large, none});
  CHECK(application_s(results[0]) < 0.7 * application_s(results[1]));
}

TEST_CASE("a cluster of 1,024 nodes runs") {
  machine::Config config = cluster_with(small());
  config.machine.compute_processors = 1024;
  config.machine.io_processors = config.machine.disks = config.machine.combined = 64;
  test::fabric_of<network::EthernetParams>(config).ports = 1024;
  test::fabric_of<network::EthernetParams>(config).medium = "switch";
  SharingParams& params = config.workload.kind.as<SharingParams>();
  params.nodes = 1024;
  params.request_size = 4_KiB;
  params.file_size = params.bytes = 4_MiB;
  const auto results = run_each(std::vector{config, config});
  CHECK(results[0].at("verified").as_bool());
  CHECK(results[0].at("elapsed_s") == results[1].at("elapsed_s"));
}

TEST_CASE("each of 1,024 nodes that do everything gets its memory") {
  // Together they must fit into a process's 2^47 bytes.
  const double of_node =
      static_cast<double>(file_systems::memory(machine::preset("cluster").file_system, 1024, 1024, 1));
  CHECK(1024 * of_node < 0x1p46);
}

TEST_CASE("a data node takes as many pieces as come, however small they are") {
  // Two processes write a block by turns, 4 bytes each: their caches flush 8192 runs each.
  machine::Config config = cluster_with(small());
  config.machine.compute_processors = config.machine.io_processors = config.machine.disks = config.machine.combined = 2;
  test::fabric_of<network::EthernetParams>(config).medium = "switch";
  config.file_system.block_size = 1_MiB;
  config.workload.kind = workload::PatternParams{"wc", {4}, {64 << 10}, ""};
  const auto results = run_each(std::vector{config});
  CHECK(count(results[0], "bytes_verified") == 64 << 10);
}

TEST_CASE("instances that share data may be one of several jobs") {
  machine::Config config = machine::preset("cluster");
  SharingParams sharing = small();
  sharing.instances = 3;
  sharing.sharing = 0.5;
  config.workload.jobs.resize(2);
  config.workload.jobs[0].processors = 6;
  config.workload.jobs[0].kind = sharing;
  config.workload.jobs[1].processors = 1;
  config.workload.jobs[1].kind = workload::PatternParams{"wb", {8192}, {64 << 10}, ""};
  config.workload.compare_alone = false;
  config.machine.compute_processors = 7;
  const auto results = run_each(std::vector{config});
  CHECK(count(results[0], "bytes_moved") == (3 * 384 + 64) * 1024);
  CHECK(count(results[0], "calls") == 3 * 24 + 1);  // a block in one call
}

TEST_CASE("a cluster that cannot be built, or a stripe that is no block, is refused in a sentence") {
  machine::Config config = cluster_with(small());
  config.machine.combined = 7;
  CHECK_THAT(test::refusal(config),
             ContainsSubstring("machine.combined is 7; it must be at most the number of compute processors and "
                               "of I/O processors, 6"));
  config = cluster_with(small());
  config.file_system.block_size = 1_KiB;
  CHECK_THAT(test::refusal(config),
             ContainsSubstring("file_system.block_size, PVFS's stripe, is 1024 bytes; it must be a multiple of "
                               "4096"));
  config = cluster_with(small());
  test::fabric_of<network::EthernetParams>(config).ports = 4;
  CHECK_THAT(test::refusal(config), ContainsSubstring("machine.network.ports has 4 ports; the machine has 6 nodes"));
  config = cluster_with(small());
  config.workload.kind.as<SharingParams>().nodes = 8;
  config.workload.kind.as<SharingParams>().request_size = 4_KiB;
  CHECK_THAT(test::refusal(config), ContainsSubstring("the machine has 6 compute processors"));
}

TEST_CASE("parameters of a cluster that contradict one another are refused, and unused ones named") {
  const auto said = [](const std::vector<std::string>& settings) -> std::string {
    kit::ConfigInput input;
    input.preset = "cluster";
    for (const std::string& setting : settings) input.settings.add(setting);
    std::vector<std::string> unused;
    try {
      kit::load_config<machine::Config>(std::move(input), &unused);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return unused.empty() ? "" : unused.front();
  };
  CHECK_THAT(said({"file_system.module.low_water=0.5", "file_system.module.high_water=0.2"}),
             ContainsSubstring("file_system.module.high_water is less than low_water; it must be at least as large"));
  CHECK(said({"file_system.module.low_water=0.5", "file_system.module.high_water=0.5"}).empty());
  // With one attempt no station would ever back off.
  CHECK_THAT(said({"machine.network.attempt_limit=1"}), ContainsSubstring("it must be between 2 and 64"));
  const std::string layout = "file_system.layout=random-blocks";
  CHECK(said({layout}).empty());
  CHECK(said({layout, "workload.kind=forks", "workload.operation=create"}).empty());
  CHECK(said({layout, "file_system.kind=galley", "workload.kind=forks", "workload.operation=overwrite"}).empty());
  CHECK_THAT(said({layout, "file_system.kind=galley", "workload.kind=forks", "workload.operation=create"}),
             ContainsSubstring("file_system.layout (random-blocks) is not used in this run"));
}
