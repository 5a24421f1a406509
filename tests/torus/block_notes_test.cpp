// SPDX-License-Identifier: MIT
// What the timelines of whole runs say of blocks is as much as the caches have counted.
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/timeline_file.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;
using test::count;
using test::sum_of;

namespace {

/// A run's figures and how often each thing happened to a block, on compute processors and on I/O processors.
struct Noted {
  boost::json::object result;
  std::map<std::string, std::uint64_t> compute, io;
};

/// Each run in a process of its own, two at a time.
std::vector<Noted> noted_in(const std::vector<machine::Config>& configs) {
  const test::TemporaryFolder folder;
  const auto file = [&](std::size_t i) { return folder.path / (std::to_string(i) + ".json"); };
  auto results = kit::run_trials(static_cast<std::uint32_t>(configs.size()), 2, [&](std::uint32_t i) {
    kit::Watch watch;
    watch.timeline = file(i);
    return test::figures_of(machine::run_trial(configs[i], 0, watch));
  });
  std::vector<Noted> all;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    Noted& noted = all.emplace_back();
    noted.result = std::move(results[i]);
    for (const auto& instant : test::TimelineFile(file(i)).instants) {
      CHECK(instant.track == "blocks");
      ++(instant.group.starts_with("machine.cp") ? noted.compute : noted.io)[instant.name];
    }
  }
  return all;
}

machine::Config noting(const char* kind, const char* pattern, Bytes file_size, Bytes record_size = 8_KiB) {
  machine::Config config = test::small_torus(kind);
  auto& work = test::pattern_of(config);
  work.pattern = pattern;
  work.file_size = file_size;
  work.record_size = record_size;
  return config;
}

}  // namespace

TEST_CASE("traditional caching notes each hit, miss, eviction, prefetch and write back") {
  // The file is four times as large as the caches.
  auto all = noted_in({noting("traditional-caching", "rb", 1_MiB), noting("traditional-caching", "wc", 1_MiB, 2_KiB)});
  for (auto& [result, compute, io] : all) {
    CHECK(compute.empty());
    CHECK(io["hit"] == sum_of(result, ".cache.hits"));
    CHECK(io["miss"] == sum_of(result, ".cache.misses"));
    CHECK(io["evict"] == sum_of(result, ".cache.evictions"));
    CHECK(io["evict"] > 0);
    CHECK(io["write back"] == count(result, "disk_writes"));
  }
  auto& [reads, none, read] = all[0];
  CHECK(read["miss"] + read["prefetch"] == count(reads, "disk_reads"));
  CHECK(read["prefetch"] > 0);
  CHECK(all[1].io["hit"] > 0);
  CHECK(all[1].io["write back"] == 128);
}

TEST_CASE("Galley notes each hit, miss, eviction and write back of its I/O processors' caches") {
  auto read = noting("galley", "rb", 1_MiB), written = noting("galley", "wb", 1_MiB);
  for (machine::Config* config : {&read, &written})
    config->file_system.kind.as<file_systems::galley::Params>().cache_blocks = 16;
  auto all = noted_in({read, written});
  for (auto& [result, compute, io] : all) {
    CHECK(compute.empty());
    CHECK(io["hit"] == sum_of(result, ".cache.hits"));
    CHECK(io["join"] == sum_of(result, ".cache.joined"));
    CHECK(io["miss"] == sum_of(result, ".cache.misses"));
    CHECK(io["miss"] > 0);
    CHECK(io["evict"] > 0);
    CHECK(io["write back"] == count(result, "disk_writes"));
  }
  CHECK(all[1].io["write back"] >= 128);
}

TEST_CASE("ENWRICH notes each append, fetch, flush and write back") {
  // Records of 3000 bytes: caches are flushed that hold blocks in part.
  auto odd = noting("enwrich", "wc", Bytes{300'000}, Bytes{3'000});
  odd.file_system.kind.as<file_systems::enwrich::Params>().enwrich.cache_size = 32_KiB;
  auto all = noted_in({odd, noting("enwrich", "wc", 256_KiB, 2_KiB), noting("enwrich", "rb", 256_KiB)});
  for (auto& [result, compute, io] : all) {
    CHECK(io["flush"] == sum_of(result, "enwrich.flushed_blocks"));
    CHECK(io["write back"] == io["flush"]);
    CHECK(io["write back"] == count(result, "disk_writes"));
    CHECK(io["read-modify-write"] == sum_of(result, "enwrich.fetched_blocks"));
    CHECK(io["miss"] + io["prefetch"] + io["read-modify-write"] == count(result, "disk_reads"));
  }
  // Some records are in two blocks, and some are cut where the cache is full.
  CHECK(all[0].compute["append"] > 100);
  CHECK(all[0].compute["fetch"] > all[0].compute["append"]);
  CHECK(all[0].io["read-modify-write"] > 0);
  CHECK(all[1].compute["append"] == 128);
  CHECK(all[1].compute["append"] == sum_of(all[1].result, "enwrich.flushed_entries"));
  CHECK(all[1].compute["fetch"] == all[1].compute["append"]);
  CHECK(all[2].io["miss"] + all[2].io["prefetch"] >= 32);
  CHECK(all[2].compute.empty());
}

TEST_CASE("PVFS notes what its cache modules and the iods' kernels do") {
  std::vector<machine::Config> configs;
  for (const auto operation :
       {workload::SharingOperation::read, workload::SharingOperation::write, workload::SharingOperation::sync_write}) {
    workload::SharingParams sharing;
    sharing.nodes = 2;
    sharing.instances = 2;
    sharing.sharing = sharing.locality = 0.5;
    sharing.file_size = sharing.bytes = Bytes{512'000};
    sharing.request_size = Bytes{8'000};  // requests share blocks
    sharing.operation = operation;
    sharing.placement = workload::Placement::different;  // nodes have copies of the same blocks
    machine::Config config = test::small_torus("pvfs");
    config.machine.compute_processors = 4;
    test::cube_of(config).shape = {3, 2};
    config.workload.kind = sharing;
    auto& pvfs = config.file_system.kind.as<file_systems::pvfs::Params>();
    pvfs.module.size = 128_KiB;
    pvfs.module.read_ahead = 16_KiB;
    pvfs.module.global = true;
    pvfs.page_cache.size = 128_KiB;
    configs.push_back(config);
  }
  auto all = noted_in(configs);
  std::map<std::string, std::uint64_t> seen;
  for (Noted& noted : all) {
    const auto& result = noted.result;
    auto &compute = noted.compute, &io = noted.io;
    const auto in_module = [&](const char* name) { return sum_of(result, std::string(".cache_module.") + name); };
    CHECK(compute["hit"] == in_module("hits"));
    CHECK(compute["join"] == in_module("joined"));
    CHECK(compute["miss"] + compute["partial hit"] == in_module("misses"));
    CHECK(compute["write"] == in_module("written"));
    CHECK(compute["write back"] == in_module("flushed"));
    CHECK(compute["evict"] == in_module("harvested"));
    CHECK(compute["prefetch"] == in_module("read_ahead"));
    CHECK(compute["provide"] == in_module("provided"));
    CHECK(compute["invalidate"] == in_module("invalidated"));
    CHECK(io["hit"] == sum_of(result, ".page_cache.hits"));
    CHECK(io["miss"] + io["partial hit"] == sum_of(result, ".page_cache.misses"));
    // The figures of the result are the sums over the nodes.
    for (const char* figure : {"hits", "joined", "misses", "written", "invalidated"})
      CHECK(in_module(figure) == count(result.at("cache").as_object(), figure));
    for (const auto* where : {&compute, &io})
      for (const auto& [name, times] : *where) seen[(where == &compute ? "module: " : "iod: ") + name] += times;
  }
  for (const char* kind : {"module: hit", "module: join", "module: miss", "module: write", "module: write back",
                           "module: evict", "module: prefetch", "module: provide", "module: invalidate", "iod: hit",
                           "iod: miss", "iod: write", "iod: write back", "iod: evict"}) {
    CAPTURE(kind);
    CHECK(seen[kind] > 0);
  }
}
