// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "models/core/random.h"
#include "sw/file_systems/galley/requests/chunks.h"
#include "sw/file_systems/pvfs/module/block_cache.h"

// What the pure parts of Galley and PVFS cost the host.
namespace sunstar::bench {
namespace {

using namespace file_systems;

/// A strided request, expanded, and the extents of its list. Items are chunks.
void galley_strided_request(benchmark::State& state) {
  constexpr std::int64_t records = 4096;
  const galley::Bounds bounds{1 << 30, 1 << 30};
  for (auto _ : state) {
    const auto expansion = galley::expand_strided(0, 0, 64, 1024, 64, records, bounds);
    for (const galley::Extent& extent : expansion.fork.pieces()) benchmark::DoNotOptimize(extent);
  }
  state.SetItemsProcessed(state.iterations() * records);
}
BENCHMARK(galley_strided_request);

/// Reads of blocks by a cache of 300 blocks that holds a third of them: look up, and fetch and free a block on a miss.
void pvfs_block_cache(benchmark::State& state, const char* policy) {
  constexpr std::uint32_t blocks = 300, block = 4096;
  const auto bytes = std::make_unique<std::byte[]>(std::size_t{blocks} * block);
  content::Memory memory(bytes.get(), std::size_t{blocks} * block);
  const content::Content data(content::Piece{content::source(content::Generated{}), block, 0});
  pvfs::BlockCache cache(memory, bytes.get(), blocks, block, policy);
  RandomStream random(1, "cache");
  std::uint64_t hits = 0;
  for (auto _ : state) {
    const pvfs::BlockKey key{0, random.below(3 * blocks)};
    if (pvfs::Block* const found = cache.find(key)) {
      cache.touch(*found);
      ++hits;
      continue;
    }
    if (cache.free_blocks() == 0) cache.harvest();
    pvfs::Block& taken = *cache.allocate(key);
    const auto fetch = cache.expect(taken, cache.missing(taken, {0, block}));
    cache.arrived(fetch, 0, data, 0, block);
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["hit_share"] = static_cast<double>(hits) / static_cast<double>(state.iterations());
}
BENCHMARK_CAPTURE(pvfs_block_cache, approximate_lru, "approximate-lru");
BENCHMARK_CAPTURE(pvfs_block_cache, lru, "lru");
BENCHMARK_CAPTURE(pvfs_block_cache, arc, "arc");
BENCHMARK_CAPTURE(pvfs_block_cache, two_queue, "2q");

}  // namespace
}  // namespace sunstar::bench
