// SPDX-License-Identifier: MIT
#include "sw/file_systems/client_server.h"
#include "sw/io/cached/messages.h"
#include "tests/support/catch.h"
#include "tests/support/firmware_rig.h"

using namespace sunstar;
using namespace sunstar::literals;
using test::FirmwareRig;
using test::reading;
using test::writing;

namespace {

using Blocks = std::vector<std::uint64_t>;

std::span<const std::byte> memory_of(const FirmwareRig& rig, std::uint32_t processor) {
  return {rig.job.memory[processor].base, rig.job.memory[processor].bytes};
}

std::uint32_t bytes_of(const hal::Message& m) { return messages::Kind<io::cached::BlockRequest>::header(m).bytes; }

}  // namespace

TEST_CASE("after a read, the file's next block on the same disk is fetched") {
  // Three disks: after block 1 comes block 4 of the same disk, and no block of the others.
  FirmwareRig rig(1, 3, 12 * FirmwareRig::block);
  rig.run({{reading(1 * 1024, 1024)}});
  CHECK(rig.record().finished());
  CHECK(rig.blocks(1, false) == Blocks{1, 4});
  CHECK(rig.disk(0).log.empty());
  CHECK(rig.disk(2).log.empty());
  CHECK(content::matches(0, 0, 1024, memory_of(rig, 0)));
}

TEST_CASE("nothing is prefetched beyond the end of the file, or with prefetching off") {
  FirmwareRig at_end(1, 3, 12 * FirmwareRig::block);
  at_end.run({{reading(9 * 1024, 1024)}});
  CHECK(at_end.blocks(0, false) == Blocks{9});
  FirmwareRig off(1, 3, 12 * FirmwareRig::block);
  off.caching().cache.prefetch = false;
  off.run({{reading(1 * 1024, 1024)}});
  CHECK(off.blocks(1, false) == Blocks{1});
}

TEST_CASE("a prefetched block is read from the cache, and its successor is prefetched in turn") {
  FirmwareRig rig(1, 2, 8 * FirmwareRig::block);
  rig.run({{reading(0, 1024), reading(2048, 1024, 1024)}});
  CHECK(rig.blocks(0, false) == Blocks{0, 2, 4});
}

TEST_CASE("a call is cut at block boundaries into one request for each block, at most one outstanding for each disk") {
  // Bytes 1000 to 5999 lie in blocks 0 to 5: 24 + 4 x 1024 + 880 bytes. Six requests and replies, and two messages for
  // the end. The disks work for 1 ms at a time; the second request to a disk leaves when the first was answered.
  FirmwareRig rig(1, 2, 8 * FirmwareRig::block);
  rig.caching().cache.prefetch = false;
  rig.run({{reading(1000, 5000)}});
  std::vector<std::uint64_t> asked;
  std::vector<Time> when;
  for (const auto& [t, m] : rig.machine.sent)
    if (!m.reply && bytes_of(m) > 0) {
      asked.push_back(bytes_of(m));
      when.push_back(t);
    }
  CHECK(asked == std::vector<std::uint64_t>{24, 1024, 1024, 1024, 1024, 880});
  CHECK(rig.machine.sent.size() == 14);
  // Request 1 us, disk 1 ms, reply 1 us: each pair leaves 1002 us after the one before.
  CHECK(when == std::vector{Time{}, Time{}, Time{1002_us}, Time{1002_us}, Time{2004_us}, Time{2004_us}});
  CHECK(content::matches(0, 0, 1000, memory_of(rig, 0)));
  CHECK(rig.record().units() == 1);
  CHECK(rig.record().bytes() == 5000);
  CHECK(rig.record().latencies().kept() == std::vector<Duration>{3006_us});
  CHECK(rig.machine.unreleased() == 0);
}

TEST_CASE("blocks that cannot be read fail their calls, and take no room from others") {
  // Of 16 blocks every other one is bad: four for each buffer of the cache.
  for (const bool strided : {false, true}) {
    FirmwareRig rig(1, 1, 16 * FirmwareRig::block);
    rig.caching().cache.buffers_per_cp_per_disk = 2;
    rig.caching().strided = strided;
    std::vector<requests::Access> calls;
    for (std::uint64_t b = 0; b < 16; ++b) {
      calls.push_back(reading(b * 1024, 1024, b * 1024));
      if (b % 2 == 0) rig.disk(0).bad.insert(rig.volume.sector_of(0, b));
    }
    rig.run({calls});
    REQUIRE(rig.record().finished());
    CHECK(rig.record().failed_units() == (strided ? 16 : 8));  // strided, all are one request
    for (std::uint64_t b = 0; b < 16; ++b) {
      CHECK(rig.told_of(requests::Operation::read, b * 1024) == (b % 2 == 0));
      if (b % 2) CHECK(content::matches(0, 0, b * 1024, memory_of(rig, 0).subspan(b * 1024, 1024)));
    }
  }
}

TEST_CASE("a write is answered when it is in the cache, and the run ends when it is on disk") {
  FirmwareRig rig(1, 1, 4 * FirmwareRig::block);
  rig.run({{writing(0, 1024)}});
  CHECK(rig.record().latencies().kept() == std::vector<Duration>{2_us});
  CHECK(rig.nodes.totals().writes == 1);
  CHECK(rig.nodes.totals().reads == 0);
  CHECK(rig.nodes.totals().last_completion >= Time{1_ms});
  CHECK(*rig.record().finished() >= rig.nodes.totals().last_completion);
  CHECK(content::matches(0, 1, 0, rig.on_disk(0)));
  CHECK(rig.machine[1].copied_bytes == 1024);  // the one memory-memory copy
}

TEST_CASE("a run whose network was cut ends when the last processor of each part has ended or stopped") {
  // Processor 0 ends the file system, and takes 1 and 2, in the other part, for gone.
  FirmwareRig rig(3, 1, FirmwareRig::block);
  const auto nothing_to_do = [](std::uint32_t) -> os::Task<> { co_return; };
  file_systems::Ending ending(rig.system, nothing_to_do, [](std::uint32_t) {
    return std::vector<std::uint32_t>{1, 2};
  });
  const auto ends = [&](std::uint32_t processor) {
    rig.endpoints.os(processor).spawn(ending.program_ended(processor, processor == 0), "main");
    rig.machine.timeline.run();
    return rig.record().finished().has_value();
  };
  CHECK_FALSE(ends(0));
  CHECK_FALSE(ends(2));
  ending.stopped(1);
  CHECK(rig.record().finished());
}

TEST_CASE("parts of one block written by several processors make one write to disk") {
  FirmwareRig rig(4, 1, 2 * FirmwareRig::block);
  std::vector<std::vector<requests::Access>> calls(4);
  for (std::uint64_t p = 0; p < 4; ++p) calls[p] = {writing(p * 256, 256)};
  rig.run(calls);
  CHECK(rig.blocks(0, true) == Blocks{0});
  CHECK(rig.blocks(0, false).empty());
  CHECK(content::matches(0, 1, 0, rig.on_disk(0)));
}

TEST_CASE("a write into a block that is on its way from disk is not lost") {
  // One processor reads the first half; while the disk works, another writes the second half.
  FirmwareRig rig(2, 1, 4 * FirmwareRig::block);
  rig.run({{reading(0, 512)}, {writing(512, 512)}});
  REQUIRE(rig.record().finished());
  CHECK(content::matches(0, 0, 0, memory_of(rig, 0)));
  CHECK(content::matches(0, 0, 0, rig.on_disk(0).first(512)));
  CHECK(content::matches(0, 1, 512, rig.on_disk(0).subspan(512)));
}

TEST_CASE("reads and writes of any size at any place, at the same time, keep every byte") {
  // Each processor has every third run of the file: it writes the even ones and reads the odd ones, in random order.
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    RandomStream random(seed, "calls");
    const std::uint64_t file_bytes = 1 + random.below(20 * FirmwareRig::block);
    FirmwareRig rig(3, 1 + static_cast<std::uint32_t>(random.below(3)), file_bytes,
                    random.below(2) ? os::Costs{} : test::free_of_charge());
    rig.caching().cache.buffers_per_cp_per_disk = 1 + static_cast<std::uint32_t>(random.below(2));
    rig.caching().cache.prefetch = random.below(2);
    rig.caching().strided = random.below(2);
    const bool in_order = random.below(2);
    std::vector<std::vector<requests::Access>> calls(3);
    std::vector<std::uint64_t> memory(3);
    struct Run {
      std::uint64_t from, bytes;
      bool write;
    };
    std::vector<Run> runs;
    for (std::uint64_t at = 0; at < file_bytes;) {
      const std::uint64_t bytes = std::min(file_bytes - at, 1 + random.below(random.below(2) ? 200 : 3000));
      runs.push_back({at, bytes, random.below(2) == 0});
      at += bytes;
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const std::size_t p = i % 3;
      const auto access = runs[i].write ? writing(runs[i].from, runs[i].bytes, memory[p])
                                        : reading(runs[i].from, runs[i].bytes, memory[p]);
      memory[p] += runs[i].bytes;
      const std::size_t place = in_order ? calls[p].size() : random.below(calls[p].size() + 1);
      calls[p].insert(calls[p].begin() + static_cast<std::ptrdiff_t>(place), access);
    }
    rig.run(calls);
    REQUIRE(rig.record().finished());
    CHECK(rig.record().units() == runs.size());
    for (std::uint32_t p = 0; p < 3; ++p)
      for (const auto& a : calls[p])
        if (a.operation == requests::Operation::read)
          CHECK(content::matches(0, 0, a.offset, memory_of(rig, p).subspan(a.memory, a.bytes)));
    for (const Run& r : runs)
      for (std::uint64_t at = r.from; at < r.from + r.bytes;) {
        const std::uint64_t b = at / 1024, end = std::min(r.from + r.bytes, (b + 1) * 1024);
        CHECK(content::matches(0, r.write, at, rig.on_disk(b).subspan(at % 1024, end - at)));
        at = end;
      }
  }
}
