// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "bench/in_child.h"
#include "bench/kernel_events.h"
#include "models/core/random.h"
#include "models/kernel/simulation.h"
#include "models/network/fabric.h"
#include "models/network/fixed_delay/fixed_delay_params.h"
#include "models/node/node.h"
#include "models/node/nvme_host.h"
#include "models/nvme/controller.h"
#include "platforms/kit/json_read.h"

// What an NVMe read of 4 KiB costs the host when 64 are under way, as a multiple of the bare kernel's timed event.
namespace sunstar::bench {
namespace {

using namespace sunstar::literals;

constexpr std::uint32_t depth = 64, sectors = 8;

nvme::DriveParams pm9a3() {
  Problems problems;
  auto params = kit::read<nvme::DriveParams>(kit::json::value("samsung-pm9a3"), "nvme", problems);
  problems.throw_if_any();
  return params;
}

/// The drive alone, without a kernel: a read begins when the oldest ends.
double alone(std::uint64_t reads) {
  nvme::Drive drive(pm9a3(), 1, "drive");
  RandomStream random(1, "places");
  std::vector<Time> ends(depth);
  const double before = cpu_seconds();
  for (std::uint64_t i = 0; i < reads; ++i) {
    const auto oldest = std::ranges::min_element(ends);
    *oldest = drive.submit(
        *oldest, {0, nvme::Operation::read, random.below(drive.params().sectors() / sectors) * sectors, sectors});
  }
  benchmark::DoNotOptimize(ends.data());
  return cpu_seconds() - before;
}

/// The same behind the root complex of a node: doorbells, DMA over the node bus, and an interrupt for each, after which
/// firmware that does nothing else submits the next.
double in_node(std::uint64_t reads) {
  struct Reader final : hal::Firmware {
    void message_arrived(hal::Message&) override {}
    void block_done(hal::BlockCommand& c) override {
      if (left == 0) return;
      --left;
      c.sector = random.below(device->sectors() / sectors) * sectors;
      device->submit(c);
    }
    hal::BlockDevice* device = nullptr;
    std::uint64_t left = 0;
    RandomStream random{1, "places"};
  };
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  auto& timetable = never_destroyed<Timetable>("timetable");
  timetable.run_ahead();
  const std::vector<std::uint32_t> router_of{0, 1};
  network::FixedDelayParams params;
  params.ports = 2;
  auto& network = never_destroyed<std::unique_ptr<network::Fabric>>(network::make(params, "network", 1, &timetable));
  node::Node::Setup setup;
  setup.params.memory_bandwidth = Bandwidth{150e9};
  setup.memory_bytes = 1 << 20;
  setup.drives = {{node::Node::Setup::Drives::By::nvme, 1}};
  setup.router_of = &router_of;
  setup.timetable = &timetable;
  setup.payloads = &never_destroyed<PayloadPool>();
  auto& node = never_destroyed<node::Node>("node", setup);
  node.network_interface.to_network.bind(network->from_node(0));
  network->to_node(0).bind(node.network_interface.from_network);
  Reader reader;
  node.boot(reader);
  auto& drive = never_destroyed<nvme::Controller>("disk0", pm9a3(), 1, timetable);
  auto& host = static_cast<node::NvmeHost&>(*node.host_adapters[0]);
  drive.connect(host.host());
  host.doorbells[0].bind(drive.doorbells);
  drive.memory.bind(host.memory[0]);
  reader.device = &host.device(0, drive.device().sectors(), drive.device().sector_size(), 1, 1024);
  reader.left = reads;
  std::vector<hal::BlockCommand> commands(depth);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (auto& c : commands) {
    c.sectors = sectors;
    c.data = {node.allocate(4096)};
  }
  const double before = cpu_seconds();
  for (auto& c : commands) reader.block_done(c);
  sc_core::sc_start();
  return cpu_seconds() - before;
}

/// Takes the least of each time, because other programs on the host can only add to it.
void nvme_reads(benchmark::State& state, double (*run)(std::uint64_t)) {
  constexpr std::uint64_t reads = 300'000;
  double read = std::numeric_limits<double>::max(), event = read;
  for (auto _ : state) {
    event = std::min(event, in_child([] { return seconds_per_event(64, 2'000'000); }));
    const double seconds = in_child([&] { return run(reads); });
    state.SetIterationTime(seconds);
    read = std::min(read, seconds / reads);
  }
  state.counters["ns_per_read"] = read * 1e9;
  state.counters["ns_per_raw_event"] = event * 1e9;
  state.counters["raw_events_per_read"] = read / event;
}
BENCHMARK_CAPTURE(nvme_reads, alone, alone)->UseManualTime()->Iterations(5)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(nvme_reads, in_node, in_node)->UseManualTime()->Iterations(5)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sunstar::bench
