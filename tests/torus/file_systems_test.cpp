// SPDX-License-Identifier: MIT
// Both file systems on small machines, from the first request to the last byte on the medium. Every run checks its
// bytes itself and fails when one is wrong; here the counts are compared with what the workload says.
#include "models/core/error.h"
#include "models/core/random.h"
#include "sw/io/layouts/layout.h"
#include "tests/support/catch.h"
#include "tests/support/patterns.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;
using test::count;
using test::expected_counts;
using test::file_system_of;
using test::pattern_of;
using test::run_each;
using test::small_torus;
using test::sum_of;

namespace {

/// All patterns with files that are no multiple of the block or of the stripe; caches hold the whole file.
void run_all_patterns(const std::string& kind, std::uint64_t record, std::uint64_t records) {
  std::vector<machine::Config> configs;
  const auto layouts = io::layout_names();
  for (const std::string& pattern : test::pattern_names) {
    machine::Config config = small_torus(kind);
    config.file_system.layout = layouts[configs.size() % layouts.size()];
    if (auto* direct = config.file_system.kind.if_is<file_systems::disk_directed::Params>())
      direct->presort = configs.size() % 2 == 0;
    if (auto* caching = config.file_system.kind.if_is<file_systems::traditional_caching::Params>())
      caching->cache.buffers_per_cp_per_disk = 8;
    pattern_of(config) = {pattern, {record}, {record * records}, ""};
    config.machine.first_cylinder =
        configs.size() % 2 ? machine::FirstCylinder::random : machine::FirstCylinder::block_zero;
    configs.push_back(config);
  }
  const auto results = run_each(configs);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    INFO(kind << " " << pattern_of(configs[i]).pattern << " " << configs[i].file_system.layout << " records of "
              << record);
    const auto& r = results[i];
    const auto e = expected_counts(configs[i]);
    CHECK(r.at("verified").as_bool());
    CHECK(count(r, "bytes_verified") == e.bytes);
    CHECK(count(r, "bytes_moved") == e.bytes);
    CHECK(count(r, "calls") == e.calls);
    CHECK(count(r, "messages") == e.messages);
    CHECK(count(r, "message_bytes") == e.bytes);
    CHECK(count(r, "disk_writes") == (e.write ? e.blocks : 0));
    CHECK(count(r, "disk_reads") == (e.write ? 0 : e.blocks));
  }
}

/// A machine and a workload of the seed's choice.
machine::Config random_config(std::uint64_t seed, const std::string& kind) {
  RandomStream random(seed, "machine");
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random.below(n)); };
  machine::Config c;
  c.run.seed = seed;
  const std::vector<std::vector<std::uint32_t>> shapes{{3, 3}, {8}, {2, 2, 2}, {7, 1}, {4, 2}};
  test::cube_of(c).shape = shapes[below(shapes.size())];
  test::cube_of(c).input_fifo = 1 + below(3);
  test::cube_of(c).router_buffer = {below(100)};
  // Firmware at other speeds meets other orders of events.
  c.machine.costs.message_send = Cycles{std::array{60., 5'000., 50'000.}[below(3)]};
  c.machine.costs.interrupt = Cycles{std::array{60., 3'000.}[below(2)]};
  c.machine.placement = static_cast<machine::Placement>(below(3));
  c.machine.spindles = static_cast<machine::Spindles>(below(2));
  c.machine.first_cylinder = static_cast<machine::FirstCylinder>(below(2));

  // Drives of two types: the HP 97560 and one with another geometry, buffer and way to report writes.
  disk::DriveParams other;
  other.name = "another";
  other.heads = 5;
  other.rpm = 7200;
  other.zones.assign(2, {});
  const std::uint32_t tracks[] = {60, 40}, skews[] = {7, 5}, cylinder_skews[] = {12, 9};
  for (int z = 0; z < 2; ++z) {
    other.zones[z].cylinders = 100;
    other.zones[z].sectors_per_track = tracks[z];
    other.zones[z].track_skew = skews[z];
    other.zones[z].cylinder_skew = cylinder_skews[z];
    other.zones[z].spares = 1 + below(3);
    if (below(2)) other.zones[z].slipped = {3, 50, 51};
  }
  const disk::Sparing spared[] = {disk::Sparing::tracks_at_zone_end, disk::Sparing::sectors_at_cylinder_end,
                                  disk::Sparing::sectors_at_range_end, disk::Sparing::sectors_at_zone_end};
  other.sparing = spared[below(4)];
  other.spare_range = 7;
  other.mapping = static_cast<disk::Mapping>(below(3));
  other.buffer_size = {64 << 10};
  other.segments = 1 + below(3);
  other.read_watermark = static_cast<double>(below(3)) / 2;
  other.write_watermark = static_cast<double>(below(3)) / 2;
  other.rig.counts = static_cast<disk::RigCounts>(below(3));
  other.rig.read_sector = other.rig.write_sector = std::chrono::microseconds{60 * below(3)};
  other.overheads.read_completion = std::chrono::microseconds{below(100)};
  other.overheads.write_reconnects = below(2);
  other.read_before_request = below(2);
  other.reuse_sent_data = below(2);
  other.read_ahead_after_hit = below(2);
  other.read_ahead_over_request = below(2);
  other.read_fence = other.write_fence = other.write_buffer = {16 << 10};
  other.immediate_reporting = static_cast<disk::ImmediateReporting>(below(4));
  other.read_ahead = static_cast<disk::ReadAhead>(below(5));
  const std::uint32_t nodes = 2 + below(5);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    machine::NodeSpec node;
    // The first two nodes ensure that one node computes and one has a disk.
    node.role = i == 0   ? (below(2) ? machine::Role::both : machine::Role::compute)
                : i == 1 ? machine::Role::io
                         : static_cast<machine::Role>(below(3));
    if (node.role != machine::Role::compute)
      for (std::uint32_t b = 1 + below(2); b > 0; --b) {
        machine::BusSpec bus;
        for (std::uint32_t g = 1 + below(2); g > 0; --g) {
          machine::DriveGroup group{1 + below(2), {}, {}};
          if (below(2)) group.disk = other;
          bus.drives.push_back(group);
        }
        node.buses.push_back(bus);
      }
    c.machine.nodes.push_back(node);
  }
  c = machine::spelt_out(c);

  const auto pick = [&](const std::vector<std::string>& names) { return names[below(names.size())]; };
  c.file_system.layout = pick(io::layout_names());
  c.file_system.queue_order = pick(io::queue_order_names());
  io::BlockTransferParams transfers;
  transfers.presort = below(2);
  c.file_system.block_size = {512ull << below(5)};
  transfers.buffers_per_disk = 1 + below(3);
  io::cached::CacheParams cache;
  cache.buffers_per_cp_per_disk = 1 + below(2);
  cache.prefetch = below(2);
  workload::PatternParams& work = pattern_of(c);
  work.pattern = pick(test::pattern_names);
  const std::uint64_t records[] = {1, 8, 100, 512, 8192};
  work.record_size = {records[below(5)]};
  const std::uint64_t most = work.record_size.count == 1 ? 8'000 : 60'000;
  work.file_size = {work.record_size.count * (1 + random.below(most / work.record_size.count))};
  const auto computes = std::ranges::count_if(c.machine.nodes, [](const auto& n) { return n.computes(); });
  if (below(4) == 0) {  // two matrices
    const std::string letters = "nbc";
    work.pattern = below(2) && computes > 1 ? "wp" : "wr";
    for (int i = 0; i < 4; ++i) work.pattern += letters[below(3)];
    work.file_size.count *= 2;
  }
  file_systems::enwrich::WriteCacheParams e;
  e.cache_size = {1024 + random.below(20'000)};
  e.division = static_cast<file_systems::enwrich::CacheDivision>(below(2));
  e.background = below(2);
  e.flush_threshold = 0.3 + 0.1 * below(8);
  e.flush_timeout = Duration{std::chrono::milliseconds{below(2) * (1 + below(50))}};
  e.gather = below(2);
  e.early_directories = below(2);
  e.done_when = static_cast<file_systems::enwrich::DoneWhen>(below(2));
  if (kind == "traditional-caching") c.file_system.kind = file_systems::traditional_caching::Params{cache};
  else if (kind == "traditional-caching, strided")
    c.file_system.kind = file_systems::traditional_caching::Params{.cache = cache, .strided = true};
  else if (kind == "disk-directed") c.file_system.kind = file_systems::disk_directed::Params{transfers};
  else if (kind == "disk-directed, gathered") c.file_system.kind = file_systems::disk_directed::Params{transfers, true};
  else if (kind == "two-phase")
    c.file_system.kind = file_systems::two_phase::Params{cache,
                                                         static_cast<file_systems::two_phase::Share>(below(3)),
                                                         {c.file_system.block_size.count * (1 + below(9))},
                                                         below(static_cast<std::uint64_t>(computes) + 1)};
  else c.file_system.kind = file_systems::enwrich::Params{transfers, e, {}};
  return c;
}

void run_random_machines(const std::string& kind, std::uint64_t first_seed, std::uint64_t seeds) {
  std::vector<machine::Config> configs;
  for (std::uint64_t s = 0; s < seeds; ++s) {
    configs.push_back(random_config(first_seed + s, kind));
  }
  const auto results = run_each(configs);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    INFO(kind << " seed " << configs[i].run.seed << " pattern " << pattern_of(configs[i]).pattern);
    const auto& r = results[i];
    const auto e = expected_counts(configs[i]);
    CHECK(r.at("verified").as_bool());
    CHECK(count(r, "bytes_verified") == e.bytes);
    CHECK(count(r, "bytes_moved") == e.bytes);
    CHECK(count(r, "calls") == e.calls);
    if (kind == "traditional-caching, strided") {
      CHECK(count(r, "messages") <= e.messages);
      CHECK(count(r, "message_bytes") == e.bytes);
      continue;
    }
    // How many messages there are depends on how the run goes, or on how pieces lie together.
    if (kind == "enwrich" || kind == "two-phase" || kind == "disk-directed, gathered") continue;
    CHECK(count(r, "messages") == e.messages);
    CHECK(count(r, "message_bytes") == e.bytes);
    if (kind == "disk-directed") {
      CHECK(count(r, "disk_writes") == (e.write ? e.blocks : 0));
      CHECK(count(r, "disk_reads") == (e.write ? 0 : e.blocks));
    } else {
      CHECK(count(r, e.write ? "disk_writes" : "disk_reads") >= e.blocks);
      if (!e.write) CHECK(count(r, "disk_writes") == 0);
    }
    // What the host adapters moved is what the disks were asked for.
    std::uint64_t adapters = 0;
    for (const char* bus : {".host_adapter0_bytes", ".host_adapter1_bytes"}) adapters += sum_of(r, bus);
    CHECK(adapters == (count(r, "disk_reads") + count(r, "disk_writes")) * configs[i].file_system.block_size.count);
    // What describes a collective counts with the headers.
    const auto moved = e.bytes + count(r, "header_bytes") - 32 * count(r, "messages");
    CHECK(sum_of(r, ".network_interface.sent_bytes") == moved);
    CHECK(sum_of(r, ".network_interface.received_bytes") == moved);
    CHECK(sum_of(r, ".network_interface.sent") == e.messages);
  }
}

}  // namespace

// Files of 20,001 bytes; of 65,544; of 65,500; of 73,728: nine blocks, one more than fit the stripe of two disks.
TEST_CASE("traditional caching carries out every pattern with records of 1 byte") {
  run_all_patterns("traditional-caching", 1, 20'001);
}
TEST_CASE("traditional caching carries out every pattern with records of 8 bytes") {
  run_all_patterns("traditional-caching", 8, 8'193);
}
TEST_CASE("traditional caching carries out every pattern with records of 100 bytes") {
  run_all_patterns("traditional-caching", 100, 655);
}
TEST_CASE("traditional caching carries out every pattern with records of 8192 bytes") {
  run_all_patterns("traditional-caching", 8192, 9);
}
TEST_CASE("disk-directed I/O carries out every pattern with records of 1 byte") {
  run_all_patterns("disk-directed", 1, 20'001);
}
TEST_CASE("disk-directed I/O carries out every pattern with records of 8 bytes") {
  run_all_patterns("disk-directed", 8, 8'193);
}
TEST_CASE("disk-directed I/O carries out every pattern with records of 100 bytes") {
  run_all_patterns("disk-directed", 100, 655);
}
TEST_CASE("disk-directed I/O carries out every pattern with records of 8192 bytes") {
  run_all_patterns("disk-directed", 8192, 9);
}

TEST_CASE("traditional caching keeps every byte on machines of any shape, with mixed drives and nodes that do both") {
  run_random_machines("traditional-caching", 1000, 60);
}
TEST_CASE("strided calls to traditional caching keep every byte on machines of any shape") {
  run_random_machines("traditional-caching, strided", 6000, 60);
}
TEST_CASE("with ENWRICH, an I/O processor gathers while others still wait for directories") {
  // Both processors write blocks of I/O processor 0; processor 0 then has a far longer directory for I/O processor 1,
  // which it is still sending when the first pieces are asked for.
  std::string trace = "rank,op,file,offset,length,start,end\n";
  auto write = [&, line = 0](int rank, int offset) mutable {
    const std::string time = std::to_string(++line);
    trace += std::to_string(rank) + ",write,f," + std::to_string(offset) + ",8," + time + "," + time + "\n";
  };
  for (int block = 0; block < 16; ++block)
    for (int record = 0; record < 128; ++record) write(record % 2, 2048 * block + 8 * record);
  for (int block = 0; block < 32; ++block)
    for (int record = 0; record < 128; ++record) write(0, 1024 + 2048 * block + 8 * record);
  const test::TemporaryFolder folder;
  machine::Config config = small_torus("enwrich");
  workload::TraceParams calls;
  calls.trace = folder.write("calls.csv", trace);
  config.workload.kind = calls;
  config.file_system.block_size = {1024};
  config.machine.costs.message_send = Cycles{2000};
  std::vector<machine::Config> configs;
  for (const bool gather : {false, true}) {
    config.file_system.kind.as<file_systems::enwrich::Params>().enwrich.gather = gather;
    configs.push_back(config);
  }
  for (const auto& result : run_each(configs)) CHECK(result.at("verified").as_bool());
}
TEST_CASE("disk-directed I/O keeps every byte on machines of any shape, with mixed drives and nodes that do both") {
  run_random_machines("disk-directed", 2000, 60);
}

TEST_CASE("disk-directed I/O that gathers pieces keeps every byte on machines of any shape") {
  run_random_machines("disk-directed, gathered", 4000, 60);
}
TEST_CASE("two-phase I/O keeps every byte on machines of any shape, with buffers of any size") {
  run_random_machines("two-phase", 5000, 60);
}

TEST_CASE("ENWRICH keeps every byte on machines of any shape, with caches of any kind") {
  run_random_machines("enwrich", 3000, 60);
}

TEST_CASE("rb of 64 KiB on two processors and two disks takes exactly these messages and disk requests") {
  // Eight blocks. Traditional caching: two calls of four requests and answers each: 16; barriers at the start and the
  // end 4; sync to two I/O processors: 4. Disk-directed: two barriers of 2, request to two I/O processors 4, eight
  // Memputs and acknowledgements: 16. Every long message crosses two node buses, every block one.
  std::vector<machine::Config> configs(2, small_torus());
  configs[1].file_system.kind = file_system_of("disk-directed");
  const auto results = run_each(configs);
  // The request describes the transfer in 9 words.
  const std::uint64_t described[] = {0, 2 * 9 * 8};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& r = results[i];
    CHECK(count(r, "disk_reads") == 8);
    CHECK(count(r, "disk_writes") == 0);
    CHECK(count(r, "message_bytes") == 65'536);
    CHECK(sum_of(r, ".bus.network_interface_bytes") == 2 * (65'536 + described[i]));
    CHECK(sum_of(r, ".bus.host_adapter0_bytes") == 65'536);
  }
  CHECK(count(results[0], "messages") == 24);
  CHECK(count(results[1], "messages") == 24);
  CHECK(count(results[0], "calls") == 2);
  CHECK(count(results[1], "calls") == 1);
}

TEST_CASE("the buffers of a disk take turns to send, so the disk does not wait for a block's thousand pieces") {
  std::vector<machine::Config> configs(2, small_torus("disk-directed"));
  for (machine::Config& config : configs) {
    config.machine.io_processors = config.machine.disks = 1;
    pattern_of(config) = {&config == &configs[0] ? "rc" : "wc", {8}, {64 << 10}, ""};
  }
  // Some 8 a block if a thread sends all its pieces at once; one for many of the 8,192 pieces if two threads send.
  for (const auto& result : run_each(configs)) CHECK(sum_of(result, ".count.buffer.thread_switch") > 2000);
}

TEST_CASE("blocks that lie at random are read sooner in the order of the disk than in that of the file") {
  std::vector<machine::Config> configs;
  for (const bool presort : {true, false}) {
    configs.push_back(small_torus("disk-directed"));
    configs.back().file_system.layout = "random-blocks";
    configs.back().file_system.kind.as<file_systems::disk_directed::Params>().presort = presort;
    pattern_of(configs.back()) = {"rb", {8192}, {100 * 8192}, ""};
  }
  const auto results = run_each(configs);
  CHECK(results[0].at("elapsed_s").as_double() < 0.8 * results[1].at("elapsed_s").as_double());
}
TEST_CASE("compute processors start at random times within start_spread, others in each trial") {
  std::vector<machine::Config> configs(4, small_torus());
  for (std::size_t i = 0; i < 4; ++i) {
    configs[i].run.seed = 1 + i % 2;
    configs[i].workload.start_spread = i < 2 ? Duration{0} : std::chrono::seconds{1};
  }
  const auto results = run_each(configs);
  const auto elapsed = [&](std::size_t i) { return results[i].at("elapsed_s").to_number<double>(); };
  CHECK(std::abs(elapsed(0) - elapsed(1)) < 0.02);  // the drives stand elsewhere
  CHECK(std::abs(elapsed(2) - elapsed(3)) > 0.1);
}

TEST_CASE("a cache with one buffer for each processor and disk still carries out every pattern") {
  std::vector<machine::Config> configs;
  for (const std::string& pattern : test::pattern_names) {
    machine::Config config = small_torus();
    config.machine.compute_processors = 4;
    test::cube_of(config).shape = {3, 2};
    config.machine.io_processors = 1;
    config.machine.disks = 1;
    config.file_system.block_size = {1024};
    config.file_system.kind = file_systems::traditional_caching::Params{{.buffers_per_cp_per_disk = 1}};
    pattern_of(config) = {pattern, {8}, {40'000}, ""};
    configs.push_back(config);
  }
  const auto results = run_each(configs);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    INFO(pattern_of(configs[i]).pattern);
    CHECK(results[i].at("verified").as_bool());
    CHECK(count(results[i], "calls") == expected_counts(configs[i]).calls);
  }
}

// 16 compute processors and as many disks. `more`: messages of a file of `kib` KiB, less those of one half as large.
TEST_CASE("a request takes as many messages on each file system as its protocol has") {
  struct Row {
    const char *file_system, *pattern;
    std::uint64_t record, kib, more;
    bool cached = true;
  };
  const Row rows[] = {
      {"traditional-caching", "rc", 8, 512, 2 * 32'768},  // a request and its answer for each record
      {"disk-directed", "wc", 8, 512, 2 * 32'768},        // a Memget and its answer
      {"hybrid", "rc", 8, 512, 2 * 32'768},
      // A packed message for each pair of processors, for any size, and caching's messages for 32 more blocks.
      {"two-phase", "wc", 8, 512, 2 * 32},
      // Of 32 records two lie where they belong, of 64 four: 30 more are sent and acknowledged.
      {"two-phase", "rc", 8192, 512, 2 * 32 + 2 * 30},
      {"enwrich", "wc", 8, 512, 2 * 32'768},  // the flush asks for each piece
      {"enwrich", "wb", 8192, 512, 2 * 32},   // and for each block
      // A call asks each iod once; it acknowledges, and the bytes of a stripe are a message. Each of 16 processors has
      // 8, 16 and 32 stripes, so 8, 16 and 16 iods are asked.
      {"pvfs", "rb", 8192, 2048, 16 * (2 * 8 + 8), false},
      {"pvfs", "rb", 8192, 4096, 16 * 16, false},
      {"pvfs", "wb", 8192, 4096, 16 * 16, false},
      {"pvfs", "wb", 8192, 4096, 2 * 256},  // the flusher sends each of 256 more stripes, and they are acknowledged
  };
  std::vector<machine::Config> configs;
  for (const Row& row : rows)
    for (const std::uint64_t kib : {row.kib / 2, row.kib}) {
      machine::Config& config = configs.emplace_back();
      config.file_system.kind = file_system_of(row.file_system);
      pattern_of(config) = {row.pattern, {row.record}, {kib << 10}, ""};
      if (!row.cached) config.file_system.kind.as<file_systems::pvfs::Params>().module.enabled = false;
    }
  const auto results = run_each(configs);
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    INFO(rows[i].file_system << ", " << rows[i].pattern << ", " << rows[i].record << " bytes");
    CHECK(count(results[2 * i + 1], "messages") - count(results[2 * i], "messages") == rows[i].more);
  }
}
