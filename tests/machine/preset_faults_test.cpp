// SPDX-License-Identifier: MIT
// Every effect on the SP-2 and on the cluster, with their own file systems, networks and workloads.
#include <set>

#include "tests/support/fault_runs.h"

using namespace sunstar;
using namespace sunstar::literals;

namespace {

/// A preset machine, and what of it breaks.
struct Breakable {
  std::string name;
  machine::Config config;
  bool write;
  std::string drive, bus, node, ports, link, port;
};

std::vector<Breakable> breakable_machines() {
  std::vector<Breakable> all;
  for (const auto operation :
       {workload::ForkOperation::read, workload::ForkOperation::overwrite, workload::ForkOperation::create}) {
    machine::Config c = machine::preset("sp2");
    c.machine.compute_processors = 3;
    c.machine.io_processors = c.machine.disks = 2;
    c.file_system.block_size = 4_KiB;
    workload::ForksParams forks;
    forks.operation = operation;
    forks.record_size = {1024};
    forks.fork_size = 24_KiB;
    c.workload.kind = forks;
    all.push_back({"SP-2", c, operation != workload::ForkOperation::read, "iop1_scsi0.disk0", "iop1_scsi0", "iop1",
                   "network.port?", "network.port4", "network.port4"});
  }
  for (const auto operation :
       {workload::SharingOperation::read, workload::SharingOperation::write, workload::SharingOperation::sync_write})
    for (const bool hub : {true, false}) {
      machine::Config c = machine::preset("cluster");
      c.machine.compute_processors = c.machine.io_processors = c.machine.disks = 3;
      c.machine.combined = hub ? 3 : 0;
      c.file_system.block_size = 16_KiB;
      test::fabric_of<network::EthernetParams>(c).medium = hub ? "hub" : "switch";
      workload::SharingParams sharing;
      sharing.nodes = 3;
      sharing.file_size = sharing.bytes = 96_KiB;
      sharing.request_size = 8_KiB;
      sharing.operation = operation;
      c.workload.kind = sharing;
      const std::string node = hub ? "node1" : "iop1", port = hub ? "network.port1" : "network.port4";
      all.push_back({hub ? "cluster with a hub" : "cluster with a switch", c,
                     operation != workload::SharingOperation::read, node + "_scsi0.disk0", node + "_scsi0", node,
                     "network.port?", hub ? "network.hub" : port, port});
    }
  for (Breakable& b : all) b.config.machine.peers.kind = os::Watched{};
  for (Breakable& b : all) b.name += b.write ? ", write" : ", read";
  return all;
}

}  // namespace

TEST_CASE("each effect on the SP-2 and the cluster: the run ends, and each byte is right or its loss reported") {
  test::FaultyRuns runs;
  std::vector<test::Cost> costs;
  for (const Breakable& b : breakable_machines()) {
    std::vector<test::Effect> effects = test::effects_on_disks(b.drive, b.bus);
    for (const test::Effect& one : test::effects_on_nodes(b.node, 20_ms)) effects.push_back(one);
    for (const test::Effect& one : test::effects_on_network(b.ports, b.link, b.port, false, 20_ms, test::Cost::any))
      effects.push_back(one);
    for (const test::Effect& one : effects) {
      auto& c = runs.add(b.name + ": " + one.name, b.config);
      c.machine.delivery.kind = os::Acknowledged{};
      c.faults = {one.fault};
      costs.push_back(test::cost_of(one, b.write, c));
    }
  }
  runs.check_each([&](std::size_t i, const boost::json::object& result) { test::check_cost(costs[i], result); });
}

TEST_CASE(
    "TCP on a cluster sends lost segments again, so that every byte arrives, and losses that never come change "
    "nothing") {
  machine::Config c = breakable_machines().back().config;
  c.machine.delivery.kind = os::Acknowledged{};
  std::vector<machine::Config> configs{c, c, c, c};
  configs[1].faults = {test::fault("network.port?", network::MessageLost{}, test::at(900'000'000_ms))};
  configs[2].faults = {test::fault("network.port?", network::MessageLost{}, test::at_rate(0.05))};
  os::Acknowledged small_pools;
  small_pools.receive_pool = 3_KiB;  // two segments, at nodes that take longer for one than the next needs to come
  configs[3].machine.delivery.kind = small_pools;
  test::tcp_of(configs[3]).segment_receive = Cycles{200'000};
  const auto results = test::run_each(configs);
  const auto total = [&](std::size_t run, const char* figure) {
    double sum = 0;
    for (const auto& [name, statistic] : results[run].at("statistics").as_object())
      if (std::string_view(name).ends_with(figure)) sum += statistic.at("value").to_number<double>();
    return sum;
  };
  for (const auto& result : results) CHECK(result.at("verified") == true);
  for (const auto& [name, statistic] : results[0].at("statistics").as_object())
    CHECK(statistic == results[1].at("statistics").at(name));
  for (const char* figure : {"elapsed_s", "messages"}) CHECK(results[0].at(figure) == results[1].at(figure));
  CHECK(total(1, ".delivery.resent") == 0);
  CHECK(total(2, ".delivery.resent") > 0);
  CHECK(total(3, ".delivery.no_room") > 0);
  CHECK(total(3, ".delivery.resent") > 0);
}
