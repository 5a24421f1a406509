// SPDX-License-Identifier: MIT
// Every block cache of every file system under every replacement policy, on whole machines. Every run checks its bytes.
#include "platforms/kit/run/trials.h"
#include "sw/io/replacement/replacement.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;

namespace {

constexpr std::int64_t block = 4096, hot = 4, read_once = 12, written = 2, rounds = 6;

/// In every round a process reads four blocks, the same ones, twice, and then twelve that it reads but once; it writes
/// two.
std::string hot_blocks_and_scans() {
  std::string trace = "rank,op,file,offset,length,start,end\n";
  std::int64_t line = 0, next = hot;
  const auto add = [&](const std::string& operation, std::int64_t b) {
    const std::string time = std::to_string(++line);
    trace += "0," + operation + ",f," + std::to_string(b * block) + "," + std::to_string(block) + "," + time + "," +
             time + "\n";
  };
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::int64_t i = 0; i < 2 * hot; ++i) add("read", i % hot);
    for (std::int64_t i = 0; i < read_once; ++i) add("read", next++);
    for (std::int64_t i = 0; i < written; ++i) add("write", next++);
  }
  return trace;
}

/// One processor and one disk. The cache has 16 blocks.
machine::Config with_cache(const std::string& cache, const std::string& policy, const std::string& trace) {
  const bool pvfs = cache == "pvfs module" || cache == "pvfs page cache";
  machine::Config config = test::small_torus(pvfs ? "pvfs" : cache);
  config.machine.compute_processors = config.machine.io_processors = config.machine.disks = 1;
  config.file_system.block_size = {block};
  workload::TraceParams calls;
  calls.trace = trace;
  config.workload.kind = calls;
  if (cache == "galley") {
    auto& params = config.file_system.kind.as<file_systems::galley::Params>();
    params.cache_blocks = 16;
    params.replacement = policy;
  } else if (pvfs) {
    auto& params = config.file_system.kind.as<file_systems::pvfs::Params>();
    params.module.enabled = cache == "pvfs module";
    params.module.size = params.page_cache.size = {16 * block};
    params.module.low_water = params.module.high_water = 0;  // frees blocks only when they are wanted
    params.page_cache.read_ahead = {0};
    (params.module.enabled ? params.module.replacement : params.page_cache.replacement) = policy;
  } else {
    io::cached::CacheParams params;
    params.buffers_per_cp_per_disk = 16;
    params.prefetch = false;
    params.replacement = policy;
    config.file_system.kind.as<file_systems::traditional_caching::Params>().cache = params;
  }
  return config;
}

/// Blocks that were asked for and not in the cache.
std::int64_t misses_of(const std::string& cache, const boost::json::object& result) {
  if (cache == "pvfs module") return result.at("cache").at("misses").as_int64();
  const std::string name = cache == "pvfs page cache" ? ".page_cache.misses" : ".cache.misses";
  return result.at("statistics").at("machine.iop0" + name).at("value").as_int64();
}

}  // namespace

TEST_CASE("every cache takes every replacement policy, and keeps every byte") {
  const test::TemporaryFolder folder;
  const auto trace = folder.write("calls.csv", hot_blocks_and_scans());
  const std::int64_t read = rounds * (2 * hot + read_once), file = hot + rounds * (read_once + written);
  const auto policies = io::replacement_parameter().allowed;
  for (const std::string cache : {"traditional-caching", "galley", "pvfs module", "pvfs page cache"}) {
    std::vector<machine::Config> configs;
    for (const std::string& policy : policies) configs.push_back(with_cache(cache, policy, trace));
    const auto results = test::run_each(configs);
    std::map<std::string, std::int64_t> misses;
    for (std::size_t i = 0; i < policies.size(); ++i) {
      INFO(cache << " with " << policies[i]);
      CHECK(results[i].at("verified").as_bool());
      CHECK(test::count(results[i], "bytes_verified") == (read + file) * block);
      misses[policies[i]] = misses_of(cache, results[i]);
    }
    // Between two uses of the four blocks 14 others come, so a cache of 16 that lets go of the least recently used
    // misses the four in every round. 2Q and ARC keep them from the second or third round on.
    INFO(cache);
    for (const char* policy : {"2q", "arc"}) CHECK(misses.at(policy) <= misses.at("lru") - (rounds - 2) * hot);
  }
}

TEST_CASE("a node that does no I/O needs no memory for a cache, however many compute processors there are") {
  for (const char* kind : {"traditional-caching", "disk-directed", "two-phase", "hybrid", "enwrich"}) {
    file_systems::FileSystemParams params;
    params.kind = test::file_system_of(kind);
    INFO(kind);
    CHECK(file_systems::memory(params, 65536, 4096, 0) == file_systems::memory(params, 1, 4096, 0));
    CHECK(file_systems::memory(params, 65536, 4096, 1) > file_systems::memory(params, 65536, 4096, 0));
  }
}
