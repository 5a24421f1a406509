// SPDX-License-Identifier: MIT
#include "models/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/pvfs_rig.h"

using namespace sunstar;
using namespace sunstar::literals;
using requests::Access;
using requests::Operation;
using test::reading;
using test::writing;

namespace {

/// Fake nodes, each with the same number of disks, and processes on them. Blocks are of two sectors.
struct LocalRig {
  static constexpr std::uint32_t block = 1024;

  LocalRig(std::uint32_t nodes_, std::uint32_t disks, std::vector<std::vector<Access>> calls,
           std::vector<std::uint32_t> node_of = {}, std::uint32_t files = 1)
      : machine(nodes_),
        endpoints(machine, test::free_of_charge()),
        store(plain_store(machine, 0, nodes_, disks, 1000)),
        volume(*store, block) {
    params.kind = file_systems::local::Params{};
    params.block_size = {block};
    work.calls = std::move(calls);
    work.node_of = std::move(node_of);
    for (std::uint32_t f = 0; f < files; ++f)
      work.files_.push_back({"file" + std::to_string(f), 8 * block, true, true});
    stripes = file_systems::stripes(params, work, volume);
    for (std::uint32_t f = 0; f < files; ++f) {
      io::StoredFile stored{8 * block, std::vector<io::BlockAddresses>(volume.units()), stripes[f]};
      for (std::uint32_t u = 0; u < volume.units(); ++u)
        for (std::uint64_t i = 0; i < stripes[f]->blocks_on(u, 8); ++i) stored.on_unit[u].push_back(f * 100 + 2 * i);
      volume.add(std::move(stored));
      for (std::uint64_t b = 0; b < 8; ++b) content::fill(f, 0, b * block, on_disk(f, b));
    }
    job.workload = &work;
    for (std::uint32_t p = 0; p < work.processors(); ++p) {
      messages::Endpoint& own = endpoints[work.node(p)];
      nodes.compute.push_back(&own);
      const std::uint64_t bytes = work.memory_bytes(p);
      job.memory.push_back({own.os.node().allocate(bytes), bytes, &own.os.memory()});
      for (const Access& a : work.calls[p])
        if (a.operation == Operation::write)
          content::fill(a.file, 1, a.offset, std::span(job.memory[p].base + a.memory, a.bytes));
    }
    job.record.when_ended = [this](const workload::Ended& e) {
      ends.push_back(e.end);
      if (ended) ended();
    };
  }
  test::FakeDisk& disk(std::uint32_t file, std::uint64_t b) {
    const io::Place place = volume.place_of(file, b);
    return machine[place.io_processor].disk(place.unit);
  }
  std::span<std::byte> on_disk(std::uint32_t file, std::uint64_t b) {
    return std::span(disk(file, b).bytes).subspan(volume.sector_of(file, b) * 512, block);
  }
  std::span<std::byte> memory_of(std::uint32_t p) { return {job.memory[p].base, job.memory[p].bytes}; }
  void set_cache(std::uint64_t blocks, std::uint64_t ahead = 0) {
    params.kind.as<file_systems::local::Params>().page_cache = {{blocks * block}, {ahead * block}};
  }
  void run() {
    file_system = make(params, system);
    for (std::size_t i = 0; i < machine.size(); ++i) nodes.add_io(endpoints[i], *store, "first-come-first-served");
    file_system->start();
    machine.timeline.run();
    REQUIRE(job.record.finished());
  }
  std::string refusal() {
    try {
      make(params, system);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  }

  test::FakeMachine machine;
  test::Endpoints endpoints;
  io::Nodes nodes;
  std::unique_ptr<io::Store> store;
  io::Volume volume;
  test::ProcessCalls work;
  workload::Job job;
  file_systems::FileSystemParams params;
  std::vector<std::optional<io::Stripes>> stripes;
  file_systems::Run system{endpoints.protocol, nodes, volume, job};
  std::unique_ptr<file_systems::FileSystem> file_system;
  std::vector<Time> ends;       ///< of the calls, in the order in which they end
  std::function<void()> ended;  ///< a call has
};

Access of_file(std::uint32_t file, Access access) {
  access.file = file;
  return access;
}
Access waits_for_disks() {
  Access access;
  access.sync = true;
  return access;
}

}  // namespace

TEST_CASE("without a cache, a local call has all drives of its node at work at once, and sends no message") {
  // Five blocks on two drives, a millisecond each: three rounds if a drive takes one command at a time, or two.
  for (const std::uint32_t takes : {1u, 2u}) {
    LocalRig rig(1, 2, {{reading(1024, 5 * 1024)}});
    for (const std::uint32_t d : {0u, 1u}) rig.machine[0].disk(d).takes = takes;
    rig.run();
    CHECK(rig.ends == std::vector{takes == 1 ? Time{3_ms} : Time{2_ms}});
    CHECK(content::matches(0, 0, 1024, std::span<const std::byte>(rig.memory_of(0))));
    CHECK(rig.machine[0].copied_bytes == 0);
    CHECK(rig.machine.sent.empty());
  }
}

TEST_CASE("a local file lies on the node that uses it first, and files begin at different drives") {
  // Nodes 0, 1 and 1 have a process each; units 0, 2 and 4 are drives of node 0.
  LocalRig rig(2, 3, {{of_file(3, reading(0, 1))}, {of_file(0, reading(0, 1))}, {of_file(1, reading(0, 1))}}, {0, 1, 1},
               4);
  const auto units = [&](std::uint32_t file) {
    std::vector<std::uint32_t> all;
    for (std::uint64_t b = 0; b < 4; ++b) all.push_back(rig.stripes[file]->unit_of(b));
    return all;
  };
  CHECK(units(0) == std::vector<std::uint32_t>{1, 3, 5, 1});
  CHECK(units(1) == std::vector<std::uint32_t>{3, 5, 1, 3});
  CHECK(units(2) == std::vector<std::uint32_t>{0, 2, 4, 0});  // nobody's
  CHECK(units(3) == std::vector<std::uint32_t>{0, 2, 4, 0});
  rig.run();
  CHECK(rig.refusal().empty());
}

TEST_CASE("local writes of parts of a sector come one after another, and keep its other bytes") {
  // Two processes of a node write into sector 0: each reads it, and writes it. A third one writes another sector.
  LocalRig rig(1, 1, {{writing(10, 100)}, {writing(110, 50)}, {writing(512, 512)}}, {0, 0, 0});
  rig.machine[0].disk(0).takes = 8;
  rig.run();
  CHECK(rig.ends == std::vector{Time{1_ms}, Time{2_ms}, Time{4_ms}});
  const std::span<const std::byte> found = rig.on_disk(0, 0);
  CHECK(content::matches(0, 0, 0, found.first(10)));
  CHECK(content::matches(0, 1, 10, found.subspan(10, 150)));
  CHECK(content::matches(0, 0, 160, found.subspan(160, 352)));
  CHECK(content::matches(0, 1, 512, found.subspan(512)));
}

TEST_CASE("a local fsync waits for the drives of each process's node") {
  // A write of a block, and one of 100 bytes, which with a cache waits there; fsync; a call after it.
  for (const bool cached : {false, true}) {
    std::vector<std::vector<Access>> calls;
    for (const std::uint32_t file : {0u, 1u})
      calls.push_back({of_file(file, writing(0, 1024)), of_file(file, writing(1024, 100, 1024)), waits_for_disks(),
                       of_file(file, reading(0, 512, 2048))});
    LocalRig rig(2, 1, std::move(calls), {}, 2);
    if (cached) rig.set_cache(4);
    std::size_t calls_ended = 0;
    rig.ended = [&] {
      if (++calls_ended <= 4) return;
      for (const std::uint32_t file : {0u, 1u}) {
        CHECK(rig.disk(file, 0).synchronisations == 1);
        CHECK(content::matches(file, 1, 0, std::span<const std::byte>(rig.on_disk(file, 0))));
        CHECK(content::matches(file, 1, 1024, std::span<const std::byte>(rig.on_disk(file, 1)).first(100)));
      }
    };
    rig.run();
    CHECK(calls_ended == 6);
    // Into the cache in no time; without it the nodes write beside each other, and 100 bytes take a read and a write.
    CHECK(rig.ends[cached ? 1 : 2] - rig.ends[0] == (cached ? 0_ms : 2_ms));
  }
}

TEST_CASE("a local cache keeps blocks, and reads ahead of a process that goes on") {
  std::vector<Access> calls;
  for (const std::uint64_t b : {0, 1, 2, 3, 0}) calls.push_back(reading(b * 1024, 1024, calls.size() * 1024));
  LocalRig rig(1, 1, {calls});
  rig.set_cache(8, 2);
  rig.machine[0].disk(0).takes = 8;
  rig.run();
  // Block 0 alone; the next call goes on: 1, 2 and 3 together; then 4 and 5 behind reads that find their blocks.
  CHECK(rig.ends == std::vector{Time{1_ms}, Time{2_ms}, Time{2_ms}, Time{2_ms}, Time{2_ms}});
  CHECK(rig.machine[0].disk(0).log.size() == 6);
  CHECK(rig.machine[0].copied_bytes == 5 * 1024);
  for (std::size_t i = 0; i < 5; ++i)
    CHECK(content::matches(0, 0, i % 4 * 1024, std::span<const std::byte>(rig.memory_of(0)).subspan(i * 1024, 1024)));
}

TEST_CASE("a large local read through a small cache keeps the drives at work, and reads each block once") {
  LocalRig rig(1, 2, {{reading(0, 8 * 1024)}});
  rig.set_cache(4);
  rig.run();
  CHECK(rig.ends == std::vector{Time{4_ms}});  // four blocks of each drive
  CHECK(rig.machine[0].disk(0).log.size() + rig.machine[0].disk(1).log.size() == 8);
  CHECK(content::matches(0, 0, 0, std::span<const std::byte>(rig.memory_of(0))));
}

TEST_CASE("local files of other nodes, nodes without drives and caches below a block are refused in a sentence") {
  using Catch::Matchers::ContainsSubstring;
  LocalRig shared(2, 1, {{reading(0, 1)}, {writing(1024, 1)}});
  CHECK_THAT(shared.refusal(),
             ContainsSubstring("file_system.kind is local, but process 1 on node 1 uses the file 'file0' of node 0, "
                               "which used it first; let nodes use files of their own"));
  LocalRig small(1, 1, {{reading(0, 1)}});
  small.params.kind.as<file_systems::local::Params>().page_cache.size = {1023};
  CHECK_THAT(small.refusal(),
             ContainsSubstring("file_system.page_cache.size is 1023 bytes; it must be 0 or hold a block, "
                               "file_system.block_size, 1024 bytes."));
  LocalRig apart(1, 1, {{reading(0, 1)}});
  test::FakeMachine other(1);
  test::Endpoints without(other, test::free_of_charge());
  apart.nodes.compute = {&without[0]};
  CHECK_THAT(apart.refusal(), ContainsSubstring("machine.combined: file_system.kind is local, but compute processor 0 "
                                                "is not an I/O processor, too; set machine.combined and"));
  test::FakeMachine uneven(2);
  std::vector<io::Drive> drives = test::add_disks(uneven, 0, 2, 1, 100);
  drives.push_back(std::move(test::add_disks(uneven, 0, 1, 1, 100).front()));
  drives.back().place.unit = 1;
  const io::plain::Plain store(std::move(drives));
  CHECK_THROWS_WITH(file_systems::stripes(apart.params, apart.work, io::Volume(store, 1024)),
                    ContainsSubstring("machine.disks: file_system.kind is local, and not all I/O processors have the "
                                      "same number of drives; give each of the 2 as many as the others."));
}
