// SPDX-License-Identifier: MIT
// Irregular subsets of a file on every file system. Every run verifies each byte on the disks and in the buffers.
#include "models/core/error.h"
#include "models/core/random.h"
#include "sw/workload/subset/params.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;
using Catch::Matchers::ContainsSubstring;
using requests::Operation;
using test::count;
using test::run_each;
using test::small_torus;
using test::sum_of;
using DiskDirected = file_systems::disk_directed::Params;

namespace {

/// Four compute processors, two I/O processors with two disks each.
machine::Config machine(std::string_view file_system, const workload::SubsetParams& params) {
  machine::Config config;
  config.machine.compute_processors = config.machine.disks = 4;
  config.machine.io_processors = 2;
  test::cube_of(config).shape = {3, 2};
  config.file_system.kind = test::file_system_of(file_system);
  config.file_system.block_size = {1024};
  config.workload.kind = params;
  return config;
}

/// The same work on each file system, and on disk-directed I/O with `gather`.
std::vector<machine::Config> on_each(const workload::SubsetParams& params) {
  std::vector<machine::Config> configs;
  for (const char* file_system : {"traditional-caching", "disk-directed", "two-phase", "enwrich"})
    configs.push_back(machine(file_system, params));
  configs.push_back(machine("disk-directed", params));
  configs.back().file_system.kind.as<DiskDirected>().gather = true;
  return configs;
}

void check_each(const std::vector<machine::Config>& configs) {
  const auto results = run_each(configs);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const auto work = workload::make(configs[i].workload, {4});
    const auto kind = configs[i].file_system.kind.kind_name();
    const bool collective = kind == "disk-directed" || kind == "two-phase";
    INFO(kind << " " << i);
    CHECK(results[i].at("verified").as_bool());
    CHECK(count(results[i], "calls") == (collective ? 1 : work->access_count()));
    CHECK(count(results[i], "bytes_moved") == (collective ? work->collective_bytes() : work->bytes_moved()));
    CHECK(count(results[i], "bytes_verified") ==
          (work->files()[0].written ? work->files()[0].bytes : work->bytes_moved()));
  }
}

}  // namespace

TEST_CASE("every file system reads and writes random chunks of any size") {
  std::vector<machine::Config> configs;
  for (const auto operation : {Operation::read, Operation::write})
    for (const std::uint64_t chunk : {100, 1024, 5000}) {
      workload::SubsetParams params;
      params.operation = operation;
      params.file_size = {200'000};
      params.chunk_size = {chunk};
      params.share = 0.3;
      params.balance = 4;
      for (auto& config : on_each(params)) configs.push_back(std::move(config));
    }
  check_each(configs);
}

TEST_CASE("every file system carries out lists with holes, overlaps and pieces of many blocks") {
  const test::TemporaryFolder folder;
  std::vector<machine::Config> configs;
  RandomStream random(1, "lists");
  for (int i = 0; i < 6; ++i) {
    std::string lines = "processor,offset,length\n";
    for (int piece = 0; piece < 60; ++piece)  // none for processor 3
      lines += std::to_string(random.below(3)) + "," + std::to_string(random.below(60'000)) + "," +
               std::to_string(1 + random.below(piece % 20 == 0 ? 9000 : 500)) + "\n";
    workload::SubsetParams params;
    params.operation = i % 2 == 0 ? Operation::read : Operation::write;
    params.file_size = {50'000};
    params.list = folder.write(std::to_string(i) + ".csv", lines);
    for (auto& config : on_each(params)) configs.push_back(std::move(config));
  }
  check_each(configs);
}

TEST_CASE("under two-phase I/O, lists go to the compute processors whose shares they concern") {
  // Block 0 is the share of processor 0, block 1 that of processor 1. Processor 0 has 30 pieces of block 0, processor 1
  // one that lies in both blocks: it sends processor 0 one entry, and gets a message without entries.
  const test::TemporaryFolder folder;
  std::string lines = "processor,offset,length\n1,500,100\n";
  for (int i = 0; i < 30; ++i) lines += "0," + std::to_string(16 * i) + ",8\n";
  std::vector<machine::Config> configs;
  for (const auto operation : {Operation::read, Operation::write}) {
    workload::SubsetParams params;
    params.operation = operation;
    params.file_size = {1024};
    params.list = folder.write("list.csv", lines);
    configs.push_back(small_torus("two-phase"));
    configs.back().file_system.block_size = {512};
    configs.back().workload.kind = params;
  }
  for (const auto& result : run_each(configs)) {
    CHECK(result.at("verified").as_bool());
    CHECK(count(result, "header_bytes") == 32 * count(result, "messages") + 24);
    // Sorted out: 30 and 1 of their own, 1 for the other. Received: 1. Then the blocks of the shares.
    CHECK(sum_of(result, ".count.main.block_list_entry") == 32 + 1 + 2);
  }
}

TEST_CASE("lists go to the I/O processors that they concern, in messages of at most a block") {
  // Blocks of 512 bytes; block 0 belongs to I/O processor 0 and block 1 to 1: 21 entries fit into a message. Processor
  // 0 has 30 pieces of block 0; processor 1 has one that lies in both blocks. So processor 0 sends 2 messages to I/O
  // processor 0 and one without entries to 1, processor 1 one to each: 5, with 32 entries of 24 bytes.
  const test::TemporaryFolder folder;
  std::string lines = "processor,offset,length\n1,500,100\n";
  for (int i = 0; i < 30; ++i) lines += "0," + std::to_string(16 * i) + ",8\n";
  std::vector<machine::Config> configs;
  for (const auto operation : {Operation::read, Operation::write})
    for (const bool gather : {false, true}) {
      workload::SubsetParams params;
      params.operation = operation;
      params.file_size = {1024};
      params.list = folder.write("list.csv", lines);
      configs.push_back(small_torus("disk-directed"));
      configs.back().file_system.kind.as<DiskDirected>().gather = gather;
      configs.back().file_system.block_size = {512};
      configs.back().workload.kind = params;
    }
  configs.push_back(configs[0]);
  configs.back().file_system.kind = test::file_system_of("traditional-caching");
  const auto results = run_each(configs);
  for (std::size_t i = 0; i < 4; ++i) {
    // Two barriers of 2 messages, a request to two I/O processors and the answers 4, the lists; then a Memput or Memget
    // and its answer for each of 30 + 2 pieces, or for each processor and block: 3. The 30 pieces are at equal
    // distances, which takes no list.
    const std::uint64_t messages = 2 * 2 + 4 + 5 + 2 * (i % 2 == 0 ? 32 : 3);
    const std::uint64_t described = 4 * 8;  // file, operation, that there are lists, and the file's size
    INFO(i);
    CHECK(results[i].at("verified").as_bool());
    CHECK(count(results[i], "messages") == messages);
    CHECK(count(results[i], "message_bytes") == 30 * 8 + 100);
    CHECK(count(results[i], "header_bytes") == 32 * messages + 32 * 24 + 2 * described);
    CHECK(sum_of(results[i], ".count.main.block_list_entry") == 32);
    CHECK(sum_of(results[i], ".count.collective_request.block_list_entry") == 32 + 2);  // and the blocks
  }
  // Two barriers, a sync of two I/O processors, a request and its answer for each of 30 + 2 parts of calls.
  CHECK(count(results[4], "messages") == 2 * 2 + 4 + 2 * 32);
  CHECK(count(results[4], "header_bytes") == 32 * count(results[4], "messages"));
}

TEST_CASE("the collectives of a trace send their lists, those of a pattern need none") {
  const test::TemporaryFolder folder;
  std::vector<machine::Config> configs(2, small_torus("disk-directed"));
  workload::TraceParams trace;
  trace.trace = folder.write(
      "t.csv", "rank,op,file,offset,length,start,end\n0,w,f,0,8192,0,1\n1,w,f,8192,8192,0,1\n0,r,f,0,16384,2,3\n");
  configs[0].workload.kind = trace;
  test::pattern_of(configs[1]).file_size = {16384};
  const auto results = run_each(configs);
  // Each collective: two barriers of 2, requests and answers 4, 4 parts of lists, 2 pieces with their answers. The
  // write has 2 entries, one for each I/O processor; the read has one, which goes to both. A request brings 4 words if
  // there are lists, 9 of a distribution.
  CHECK(count(results[0], "messages") == 2 * (2 * 2 + 4 + 4 + 4));
  CHECK(count(results[0], "header_bytes") == 32 * count(results[0], "messages") + 4 * 24 + 4 * 4 * 8);
  CHECK(count(results[1], "messages") == 2 * 2 + 4 + 4);
  CHECK(count(results[1], "header_bytes") == 32 * count(results[1], "messages") + 2 * 9 * 8);
}

TEST_CASE("a subset's figures are a section of the result") {
  std::vector<machine::Config> configs(2, small_torus("disk-directed"));
  workload::SubsetParams params;
  params.file_size = {64 << 10};
  params.share = 0.5;
  params.balance = 2;
  configs[0].workload.kind = configs[1].workload.kind = params;
  const auto results = run_each(configs);
  const auto& subset = results[0].at("subset").as_object();
  CHECK(count(subset, "pieces") == 4);
  CHECK(count(subset, "bytes") == 32 << 10);
  CHECK(subset.at("share").to_number<double>() == 0.5);
  CHECK(count(subset, "shortest_piece") == 8192);
  CHECK(count(subset, "median_piece") == 8192);
  CHECK(count(subset, "longest_piece") == 8192);
  CHECK(count(subset, "most_at_one_processor") == 2);
  CHECK(results[0].at("elapsed_s") == results[1].at("elapsed_s"));
}
