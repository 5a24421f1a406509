// SPDX-License-Identifier: MIT
// Galley on whole machines. Every run checks its own bytes, and what lies on the disks, and fails if anything is wrong.
#include "models/core/error.h"
#include "platforms/kit/run/trials.h"
#include "platforms/machine/run/config.h"
#include "tests/support/catch.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;
using Catch::Matchers::ContainsSubstring;
using test::count;
using test::run_each;
using workload::ForkInterface;
using workload::ForkOperation;
using workload::ForkPattern;
using workload::ForksParams;

namespace {

/// Four compute processors, and two I/O processors with three disks.
machine::Config small_sp2(const ForksParams& params = {}) {
  machine::Config config = machine::preset("sp2");
  config.machine.compute_processors = 4;
  config.machine.io_processors = 2;
  config.machine.disks = 3;
  config.file_system.block_size = 4_KiB;
  auto& galley = config.file_system.kind.as<file_systems::galley::Params>();
  galley.cache_blocks = 10;
  galley.packet = 2_KiB;
  galley.entries = 16;
  config.workload.kind = params;
  return config;
}

}  // namespace

TEST_CASE("forks are read, overwritten and created in every pattern, by both interfaces, with records of any size") {
  std::vector<machine::Config> configs;
  for (const auto pattern : {ForkPattern::broadcast, ForkPattern::partitioned, ForkPattern::interleaved})
    for (const auto operation : {ForkOperation::read, ForkOperation::overwrite, ForkOperation::create})
      for (const auto interface : {ForkInterface::traditional, ForkInterface::strided})
        for (const std::uint64_t record : {96, 512, 6144, 24576}) {  // some divide a block, some do not
          if (pattern == ForkPattern::broadcast && operation != ForkOperation::read) continue;
          ForksParams params;
          params.pattern = pattern;
          params.operation = operation;
          params.interface = interface;
          params.record_size = {record};
          params.fork_size = 96_KiB;  // more than the cache holds
          configs.push_back(small_sp2(params));
          configs.back().file_system.kind.as<file_systems::galley::Params>().permissions =
              static_cast<std::uint32_t>(configs.size() % 3);
        }
  const auto results = run_each(configs);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const auto& params = configs[i].workload.kind.as<ForksParams>();
    const std::uint64_t file = 3 * params.fork_size.count;
    const std::uint64_t moved = params.pattern == ForkPattern::broadcast ? 4 * file : file;
    INFO(i << ": records of " << params.record_size.count);
    CHECK(results[i].at("verified").as_bool());
    CHECK(count(results[i], "bytes_moved") == moved);
    CHECK(count(results[i], "bytes_verified") == moved);
  }
}

TEST_CASE("processors may access a part of each fork only, and a new fork is as large as what they write") {
  std::vector<machine::Config> configs;
  for (const auto pattern : {ForkPattern::broadcast, ForkPattern::partitioned, ForkPattern::interleaved})
    for (const auto operation : {ForkOperation::read, ForkOperation::overwrite, ForkOperation::create})
      for (const auto interface : {ForkInterface::traditional, ForkInterface::strided}) {
        if (pattern == ForkPattern::broadcast && operation != ForkOperation::read) continue;
        ForksParams params;
        params.pattern = pattern;
        params.operation = operation;
        params.interface = interface;
        params.record_size = 512_B;
        params.fork_size = 96_KiB;
        params.records = 6;
        configs.push_back(small_sp2(params));
      }
  for (const auto& result : run_each(configs)) {
    CHECK(result.at("verified").as_bool());
    CHECK(count(result, "bytes_moved") == 4 * 3 * 6 * 512);
  }
}

TEST_CASE("with its acknowledgements a small request takes no more messages than Galley's protocol says") {
  ForksParams params;
  params.record_size = 64_B;
  params.fork_size = 128_KiB;
  std::vector<machine::Config> configs;
  for (const auto operation : {ForkOperation::read, ForkOperation::overwrite}) {
    params.operation = operation;
    configs.push_back(small_sp2(params));
    configs.back().machine.io_processors = 3;
  }
  const auto results = run_each(configs);
  // Three forks of 2048 records each. A read takes five messages, and an acknowledgement of data and status, after
  // which its processor has nothing to say; what is there besides opens the file or syncs.
  const auto a_request = [&](std::size_t i) { return static_cast<double>(count(results[i], "messages")) / (3 * 2048); };
  CHECK(a_request(0) > 6);
  CHECK(a_request(0) < 6.2);
  CHECK(a_request(1) > 4);
  CHECK(a_request(1) < 4.2);
}

TEST_CASE("a request of any form for all records of a fork takes the same messages and time") {
  for (const auto operation : {ForkOperation::read, ForkOperation::create}) {
    ForksParams params;
    params.record_size = 96_B;
    params.fork_size = 96_KiB;
    params.operation = operation;
    std::vector<machine::Config> configs;
    for (const auto interface :
         {ForkInterface::strided, ForkInterface::nested, ForkInterface::batched, ForkInterface::list}) {
      params.interface = interface;
      configs.push_back(small_sp2(params));
    }
    const auto results = run_each(configs);
    for (const auto& result : results) {
      CHECK(result.at("verified").as_bool());
      CHECK(count(result, "bytes_moved") == 3 * 96 * 1024);
      CHECK(count(result, "messages") == count(results[0], "messages"));
      CHECK(result.at("elapsed_s") == results[0].at("elapsed_s"));
    }
  }
}

TEST_CASE("a processor may set the limit of packets that are under way to it") {
  ForksParams params;
  params.fork_size = 96_KiB;
  params.pattern = ForkPattern::broadcast;
  params.record_size = 24_KiB;
  params.interface = ForkInterface::strided;
  std::vector<machine::Config> configs;
  for (const auto& [of_file_system, of_processor] : {std::pair{1u, 0u}, {3u, 1u}, {3u, 0u}, {1u, 3u}}) {
    params.permissions = of_processor;
    configs.push_back(small_sp2(params));
    auto& galley = configs.back().file_system.kind.as<file_systems::galley::Params>();
    galley.permissions = of_file_system;
    galley.cache_blocks = 100;  // only the first processor's data come from the disks
  }
  const auto results = run_each(configs);
  const auto elapsed = [&](std::size_t i) { return results[i].at("elapsed_s").to_number<double>(); };
  CHECK(elapsed(1) == elapsed(0));
  CHECK(elapsed(3) == elapsed(2));
  CHECK(elapsed(2) != elapsed(0));
}

TEST_CASE("a list request carries out many irregular calls of a processor") {
  std::vector<machine::Config> configs;
  for (const auto operation : {workload::Operation::read, workload::Operation::write})
    for (const std::uint32_t calls : {1u, 7u, 1000u}) {
      workload::SubsetParams params;
      params.operation = operation;
      params.file_size = 384_KiB;
      params.chunk_size = 512_B;
      configs.push_back(small_sp2());
      configs.back().workload.kind = params;
      configs.back().file_system.kind.as<file_systems::galley::Params>().list_calls = calls;
    }
  const auto results = run_each(configs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    CHECK(results[i].at("verified").as_bool());
    CHECK(count(results[i], "bytes_moved") == count(results[0], "bytes_moved"));
    if (i % 3 > 0) CHECK(count(results[i], "messages") < count(results[i - 1], "messages") * 4 / 5);
  }
}

TEST_CASE("Galley carries out the patterns of arrays on a torus, whose messages overtake one another") {
  std::vector<machine::Config> configs;
  for (const char* pattern : {"ra", "rb", "rcc", "rbb", "wb", "wc", "wcc", "wcn"}) {
    machine::Config config;
    config.machine.compute_processors = config.machine.io_processors = 4;
    config.machine.disks = 6;
    test::cube_of(config).shape = {3, 3};
    config.file_system.kind = test::file_system_of("galley");
    config.file_system.layout = configs.size() % 2 ? "random-blocks" : "contiguous";
    test::pattern_of(config) = {pattern, 512_B, {512 * 1000}, ""};
    configs.push_back(config);
  }
  for (const auto& result : run_each(configs)) CHECK(result.at("verified").as_bool());
}

TEST_CASE("several applications use Galley at the same time, and one may create the file that it writes") {
  machine::Config config = small_sp2();
  workload::JobParams writes, reads;
  writes.processors = reads.processors = 2;
  ForksParams params;
  params.record_size = 1_KiB;
  params.fork_size = 64_KiB;
  params.operation = ForkOperation::create;
  writes.kind = params;
  workload::PatternParams pattern;
  pattern.pattern = "rcc";
  pattern.file_size = 64_KiB;
  pattern.record_size = 512_B;
  reads.kind = pattern;
  config.workload.jobs = {writes, reads};
  const auto results = run_each(std::vector{config, config});
  CHECK(results[0].at("verified").as_bool());
  CHECK(count(results[0], "bytes_moved") == 3 * 64 * 1024 + 64 * 1024);
  const bool same = results[0].at("statistics") == results[1].at("statistics");  // the same seed, the same figures
  CHECK(same);
}

TEST_CASE("I/O processors of Galley choose records by their bytes, and only those cross the network") {
  std::vector<machine::Config> configs;
  for (const auto function :
       {workload::RecordFunction::cyclic, workload::RecordFunction::hash, workload::RecordFunction::range})
    for (const double discard : {0.0, 0.75}) {
      workload::RecordsParams params;
      params.function = function;
      params.record_size = 64_B;
      params.file_size = {64 * 3000};
      params.discard = discard;
      configs.push_back(small_sp2());
      configs.back().workload.kind = params;
    }
  const auto results = run_each(configs);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const std::uint64_t chosen = results[i].at("records").at("delivered").to_number<std::uint64_t>() * 64;
    CHECK(results[i].at("verified").as_bool());
    CHECK(count(results[i], "bytes_verified") == chosen);
    CHECK(count(results[i], "message_bytes") < chosen + 4000);  // and the answers to calls on names
  }
}

TEST_CASE("a workload of forks that does not fit is refused in a sentence") {
  ForksParams params;
  params.fork_size = 100_KiB;
  CHECK_THAT(test::refusal(small_sp2(params)),
             ContainsSubstring(
                 "workload.fork_size is 102400 bytes; it must be a whole number of blocks (file_system.block_size) "
                 "and of records for each of the 4 processors, a multiple of 262144."));
  params.fork_size = 64_KiB;
  params.record_size = 1_KiB;
  params.records = 17;
  CHECK_THAT(test::refusal(small_sp2(params)),
             ContainsSubstring("workload.records is 17; each processor has 16 of a fork"));
  params.records = 1;
  params.record_size = 512_B;
  params.operation = ForkOperation::create;
  CHECK_THAT(test::refusal(small_sp2(params)), ContainsSubstring("a new fork has 2048 bytes"));
  params.records = 0;
  params.record_size = 1_MiB;
  params.fork_size = {std::uint64_t{1} << 40};
  CHECK_THAT(test::refusal(small_sp2(params)), ContainsSubstring("does not fit on"));
  params.record_size = 512_B;
  params.fork_size = 8_MiB;
  machine::Config tiny = small_sp2(params);
  tiny.file_system.block_size = 512_B;
  CHECK_THAT(test::refusal(tiny),
             ContainsSubstring("file 'forks' would have 8388608 bytes on a disk; with blocks of 512 bytes "
                               "(file_system.block_size), a fork of Galley has at most 6881280."));
  params.fork_size = 64_KiB;
  machine::Config mirrored = small_sp2(params);
  mirrored.machine.disks = 2 * mirrored.machine.io_processors;
  mirrored.file_system.store.kind = io::redundant::Mirror{};
  CHECK_THAT(test::refusal(mirrored), ContainsSubstring("workload.kind is forks, which has a fork on each of the"));
  machine::Config crowded = small_sp2();
  workload::JobParams job;
  job.processors = 1;
  job.kind = params;
  crowded.workload.jobs = {job, job, job, job};
  crowded.file_system.kind.as<file_systems::galley::Params>().entries = 4;
  CHECK_THAT(test::refusal(crowded),
             ContainsSubstring("file_system.entries is 4; the workload's files and forks need "));
  params.operation = ForkOperation::read;
  params.fork_size = 64_KiB;
  machine::Config config = small_sp2(params);
  config.file_system.kind = test::file_system_of("disk-directed");
  CHECK_THAT(test::refusal(config),
             ContainsSubstring("workload.kind is forks, whose requests are calls of single processors, but "
                               "disk-directed carries out collectives here"));
  config = small_sp2(params);
  config.file_system.layout = "random-tracks";  // tracks of 72 sectors, blocks of 64
  config.file_system.block_size = 32_KiB;
  CHECK_THAT(test::refusal(config), ContainsSubstring("file_system.layout places blocks at any sector"));
}
