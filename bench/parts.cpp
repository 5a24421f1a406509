// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <deque>

#include "models/core/random.h"
#include "models/disk/direct.h"
#include "models/network/cube/cube_worms.h"
#include "platforms/kit/json_read.h"

// What parts that need no kernel cost the host.
namespace sunstar::bench {
namespace {

using namespace sunstar::literals;

/// One message between random routers of a k x k torus.
void worm_injection(benchmark::State& state) {
  const auto k = static_cast<std::uint32_t>(state.range(0));
  network::CubeWorms worm(network::Cube({k, k}), {20_ns, 200_MBps, 16});
  RandomStream random(1, "worm");
  Time now{};
  std::uint64_t hops = 0;
  std::deque<network::WormCore::Ticket> under_way;  // kept for 50 us, longer than any message is under way
  for (auto _ : state) {
    now += 100_ns;
    while (worm.next() <= now) benchmark::DoNotOptimize(worm.proceed());
    std::uint32_t from;
    do from = static_cast<std::uint32_t>(random.below(k * k));
    while (worm.free_at(worm.cube().injection(from)) > now);
    const auto to = static_cast<std::uint32_t>(random.below(k * k));
    const auto passage = worm.inject(from, to, 40, now);
    hops += passage.hops;
    under_way.push_back(passage.ticket);
    if (under_way.size() > 500) {
      while (worm.late(under_way.front()) != Duration{}) {
      }
      under_way.pop_front();
    }
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["hops"] = static_cast<double>(hops) / static_cast<double>(state.iterations());
}
BENCHMARK(worm_injection)->ArgName("k")->Arg(6)->Arg(64);

disk::DriveParams drive_of(const char* name) {
  Problems problems;
  auto params = kit::read<disk::DriveParams>(kit::json::value(name), "disk", problems);
  problems.throw_if_any();
  return params;
}

/// One 8 KiB request after the other, at random or in sequence, to a drive that does not share its bus. Items per
/// second are requests per second of one processor.
void disk_requests(benchmark::State& state, const char* name, bool random, double read_share) {
  disk::Drive drive(drive_of(name), disk::DriveStart{});
  RandomStream numbers(1, "disk");
  const std::uint64_t blocks = drive.geometry().sectors() / 16;
  Time now{};
  std::uint64_t block = 0;
  for (auto _ : state) {
    block = random ? numbers.below(blocks) : (block + 1) % blocks;
    const bool write = read_share < 1 && numbers.uniform() >= read_share;
    now = disk::complete(drive, write, now, block * 16, 16, 51200_ns).status;
  }
  benchmark::DoNotOptimize(now);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(disk_requests, hp_c2247a_random_reads, "hp_c2247a", true, 1);
BENCHMARK_CAPTURE(disk_requests, hp_c2247a_random_two_thirds_reads, "hp_c2247a", true, 2.0 / 3);
BENCHMARK_CAPTURE(disk_requests, hp_c2247a_sequential_reads, "hp_c2247a", false, 1);
BENCHMARK_CAPTURE(disk_requests, st41601n_random_reads, "st41601n", true, 1);
BENCHMARK_CAPTURE(disk_requests, hp97560_random_reads, "hp97560", true, 1);
BENCHMARK_CAPTURE(disk_requests, hp97560_sequential_reads, "hp97560", false, 1);

}  // namespace
}  // namespace sunstar::bench
