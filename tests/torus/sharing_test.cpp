// SPDX-License-Identifier: MIT
// Instances that share a file, on a machine with a compute processor for each process. Every run checks all bytes.
#include "tests/support/torus_runs.h"

using namespace sunstar;
using test::count;
using test::run_each;

namespace {

/// Two instances of two processes each, 16 requests of 3 KiB a process.
machine::Config sharing_torus(std::string_view file_system, workload::SharingOperation operation) {
  machine::Config config = test::small_torus(file_system);
  config.machine.compute_processors = 4;
  test::cube_of(config).shape = {4, 2};
  workload::SharingParams params;
  params.nodes = params.instances = 2;
  params.placement = workload::Placement::different;
  params.file_size = params.bytes = {96 << 10};
  params.request_size = {3 << 10};
  params.locality = params.sharing = 0.5;
  params.operation = operation;
  config.workload.kind = params;
  return config;
}

}  // namespace

TEST_CASE("instances that share a file find the right bytes, on every file system that makes calls") {
  using workload::SharingOperation;
  std::vector<machine::Config> configs;
  for (const char* file_system : {"traditional-caching", "enwrich", "galley"})
    for (const auto operation : {SharingOperation::read, SharingOperation::write, SharingOperation::sync_write})
      configs.push_back(sharing_torus(file_system, operation));
  for (const auto& result : run_each(configs)) {
    CHECK(result.at("verified") == true);
    CHECK(count(result, "calls") == 4 * 16);
    CHECK(count(result, "bytes_moved") == 2 * (96 << 10));
    CHECK(result.contains("job1"));  // each instance is an application
  }
}
