// SPDX-License-Identifier: MIT
// Files that a run makes: nothing has been written to them before. Every run checks all bytes, those of holes, too.
#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;
using test::count;
using test::run_each;

namespace {

/// Tasks write records of 4,701 bytes, which end amid pages, blocks and sectors.
machine::Config writers(std::string_view file_system, std::uint32_t tasks) {
  machine::Config config = test::small_torus(file_system);
  workload::IorParams params;
  params.transfer_size = 4701_B;
  params.block_size = 9402_B;
  params.segments = 3;
  params.tasks = tasks;
  params.read = false;
  params.fsync = true;
  if (file_system == "disk-directed" || file_system == "two-phase") params.collective = workload::IorCollective::phase;
  config.workload.kind = params;
  return config;
}

workload::IorParams& ior_of(machine::Config& c) { return c.workload.kind.as<workload::IorParams>(); }

}  // namespace

TEST_CASE("no drive reads parts of a new file that nothing has been written to") {
  std::vector<machine::Config> configs;
  for (const std::string& file_system : file_systems::Kinds::kind_names()) {
    if (file_system == "galley") continue;  // it reads its own structures
    configs.push_back(writers(file_system, 1));
    if (file_system != "local") continue;  // without a cache, records share sectors that have been written
    ior_of(configs.back()).segments = 1;
    ior_of(configs.back()).block_size = ior_of(configs.back()).transfer_size;
  }
  const auto results = run_each(configs);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    INFO(configs[i].file_system.kind.kind_name());
    CHECK(results[i].at("verified") == true);
    CHECK(count(results[i], "disk_reads") == 0);
  }
}

TEST_CASE("holes of a new file are zeros, whichever file system fills the rest of their pages and blocks") {
  std::vector<machine::Config> configs;
  for (const std::string& file_system : file_systems::Kinds::kind_names()) {
    machine::Config config = writers(file_system, file_system == "local" ? 1 : 2);
    if (ior_of(config).collective != workload::IorCollective::none) continue;
    ior_of(config).segments = 400;
    ior_of(config).random_offsets = true;
    ior_of(config).deadline = std::chrono::milliseconds(20);
    configs.push_back(config);
  }
  const auto results = run_each(configs);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    INFO(configs[i].file_system.kind.kind_name());
    CHECK(results[i].at("verified") == true);
    CHECK(count(results[i].at("ior").at("write").as_object(), "transfers") < 2 * 2 * 400);
    CHECK(test::sum_of(results[i], ".blank_reads") > 0);
  }
}

TEST_CASE("a server with a page cache ends a write when its bytes are there, and reads them from it") {
  std::vector<machine::Config> configs(2, writers("locking", 2));
  for (machine::Config& config : configs) ior_of(config).read = true;
  auto& cached = configs[1].file_system.kind.as<file_systems::locking::Params>();
  cached.server_pages.emplace();
  cached.server_pages->size = 1_MiB;
  const auto results = run_each(configs);
  // Two clients write their records into pages that they share, so each page is written back and fetched again.
  CHECK(count(results[0], "disk_reads") > 0);
  CHECK(count(results[1], "disk_reads") == 0);
  CHECK(test::sum_of(results[1], ".server_pages.hits") > 0);
  const auto written = [](const boost::json::object& result) {
    return result.at("ior").at("write").at("elapsed_s").to_number<double>();
  };
  CHECK(written(results[1]) < written(results[0]));
}

TEST_CASE("a server's page cache that is too small for the run loses nothing, with any file system's striping") {
  std::vector<machine::Config> configs;
  for (const std::uint32_t objects : {0U, 1U, 8U}) {
    configs.push_back(writers("locking", 2));
    ior_of(configs.back()).read = true;
    ior_of(configs.back()).segments = 40;
    ior_of(configs.back()).reorder_nodes = 1;
    auto& params = configs.back().file_system.kind.as<file_systems::locking::Params>();
    params.objects.stripe_count = objects;
    params.server_pages.emplace();
    params.server_pages->size = 64_KiB;
    params.server_pages->dirty_share = 0.5;
  }
  for (const auto& result : run_each(configs)) {
    CHECK(result.at("verified") == true);
    CHECK(test::sum_of(result, ".server_pages.misses") > 0);
    CHECK(test::sum_of(result, ".server_pages.read_ahead") > 0);
    CHECK(test::sum_of(result, ".server_pages.throttled") > 0);
  }
}
