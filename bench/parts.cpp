// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include "models/core/random.h"
#include "models/disk/drive.h"
#include "models/network/worm_core.h"

// The parts that need no kernel.
namespace sunstar::bench {
namespace {

using namespace sunstar::literals;

/// One message between random routers of a k x k torus.
void worm_injection(benchmark::State& state) {
  const auto k = static_cast<std::uint32_t>(state.range(0));
  network::WormCore worm(network::Cube({k, k}), {20_ns, 200_MBps, 16});
  RandomStream random(1, "worm");
  Time now{};
  std::uint64_t hops = 0;
  for (auto _ : state) {
    const auto from = static_cast<std::uint32_t>(random.below(k * k)), to = static_cast<std::uint32_t>(random.below(k * k));
    const auto passage = worm.inject(from, to, 40, now += 100_ns);
    benchmark::DoNotOptimize(passage);
    hops += passage.hops;
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["hops"] = static_cast<double>(hops) / static_cast<double>(state.iterations());
}
BENCHMARK(worm_injection)->ArgName("k")->Arg(6)->Arg(64);

/// One 8 KiB read from the core of a drive, at random or one after the other.
void disk_read(benchmark::State& state, bool random) {
  disk::Drive drive(disk::DriveParams{}, disk::DriveStart{});
  RandomStream numbers(1, "disk");
  const std::uint64_t blocks = drive.geometry().sectors() / 16;
  Time now{};
  std::uint64_t block = 0;
  for (auto _ : state) {
    block = random ? numbers.below(blocks) : (block + 1) % blocks;
    for (auto burst = std::optional(drive.read(now, block * 16, 16)); burst; burst = drive.sent(now))
      now = burst->ready + 50_us;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(disk_read, random, true);
BENCHMARK_CAPTURE(disk_read, sequential, false);

}  // namespace
}  // namespace sunstar::bench
