// SPDX-License-Identifier: MIT
// Nodes with drives of their own: every byte, also with faults of drives and with redundancy.
#include "tests/support/fault_runs.h"

using namespace sunstar;

namespace {

machine::Config node_alone(bool cached) {
  machine::Config c = test::small_torus("local");
  if (cached) c.file_system.kind.as<file_systems::local::Params>().page_cache.size = {48 << 10};
  return c;
}

}  // namespace

TEST_CASE("local files keep every byte, on one node or several, with a cache and without, and need no message") {
  std::vector<machine::Config> configs;
  for (const bool cached : {false, true})
    for (const auto data : {machine::Data::bytes, machine::Data::described})
      for (const char* store : {"plain", "mirror", "raid5"})
        for (const std::uint64_t record : {100, 512, 24 << 10}) {
          machine::Config& c = configs.emplace_back(node_alone(cached));
          c.run.data = data;
          c.machine.disks = 4;
          REQUIRE(c.file_system.store.kind.choose(store));
          test::pattern_of(c) = {record == 512 ? "rc" : "wc", {record}, {record * 20}, ""};
          workload::IorParams ior;
          ior.transfer_size = {record};
          ior.block_size = {record * 3};
          ior.segments = 2;
          ior.tasks_per_node = 3;
          ior.file_per_task = ior.fsync = true;
          ior.random_offsets = record == 512;
          configs.push_back(configs.back());
          configs.back().workload.kind = ior;
          auto& machine = configs.emplace_back(configs.back()).machine;
          machine.compute_processors = machine.io_processors = machine.combined = 2;
          machine.disks = 8;
        }
  const auto results = test::run_each(configs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    INFO(configs[i].file_system.store.kind.kind_name() << ", run " << i);
    CHECK(results[i].at("verified") == true);
    if (i % 3 < 2) CHECK(test::count(results[i], "messages") == 0);  // barriers of two nodes need some
    const std::string_view store = configs[i].file_system.store.kind.kind_name();
    if (i % 3 == 0 && store == "plain" && test::pattern_of(configs[i]).pattern == "wc")
      CHECK(test::count(results[i], "disk_writes") > 0);
  }
}

TEST_CASE("each effect on a drive of a node: a local run ends, and losses are reported if they can be known") {
  test::FaultyRuns runs;
  std::vector<test::Cost> costs;
  for (const bool cached : {false, true})
    for (const bool write : {false, true})
      for (const test::Effect& one : test::effects_on_disks("node0_scsi0.disk1", "node0_scsi0")) {
        machine::Config& c = runs.add(
            std::string(one.name) + (cached ? ", cached" : "") + (write ? ", write" : ", read"), node_alone(cached));
        c.faults = {one.fault};
        c.machine.disks = 4;
        test::pattern_of(c).pattern = write ? "wb" : "rb";
        costs.push_back(test::cost_of(one, write, c));
      }
  runs.check_each([&](std::size_t i, const boost::json::object& result) { test::check_cost(costs[i], result); });
}
