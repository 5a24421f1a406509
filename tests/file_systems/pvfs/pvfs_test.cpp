// SPDX-License-Identifier: MIT
// PVFS and its cache module on fake nodes, whose times are worked out in the head.
#include "models/core/random.h"
#include "tests/support/block_notes.h"
#include "tests/support/pvfs_rig.h"

using namespace sunstar;
using namespace sunstar::literals;
using requests::Access;
using test::PvfsRig;
using test::reading;
using test::writing;

namespace {

constexpr std::uint64_t cached_block = PvfsRig::block, file_stripe = PvfsRig::stripe;

Access in_step(Access access) {
  access.in_step = true;
  return access;
}
/// A wait for all others, without a call.
Access barrier() { return in_step(reading(0, 0)); }
Access coherent(Access access) {
  access.coherent = true;
  return access;
}

}  // namespace

TEST_CASE("a process without the cache asks each data node once a call, and gets the bytes straight into its memory") {
  PvfsRig rig(1, 3, {10 * file_stripe});
  rig.params.module.enabled = false;
  // Bytes of five stripes: all three data nodes have some of them. The second call concerns one data node.
  rig.run({{reading(100, 4 * file_stripe, 0), reading(7 * file_stripe, 10, 4 * file_stripe)}});
  CHECK(rig.has_read(0, 0, 0));
  CHECK(rig.has_read(0, 1, 0));
  CHECK(rig.sum(".iod.reads") == 3 + 1);
}

TEST_CASE("names may be as long as those of traces, and the manager tells long ones apart") {
  PvfsRig rig(1, 1, {file_stripe, file_stripe});
  rig.work.files_[0].name.assign(4096, 'a');
  rig.work.files_[1].name.assign(4096, 'a').back() = 'b';
  Access second = reading(0, file_stripe, file_stripe);
  second.file = 1;
  rig.run({{reading(0, file_stripe, 0), second}});
  CHECK(rig.has_read(0, 0, 0));
  CHECK(rig.has_read(0, 1, 0));
}

TEST_CASE("a write without the cache ends when the data nodes have it, and all is on disk at the end") {
  PvfsRig rig(1, 2, {4 * file_stripe});
  rig.params.module.enabled = false;
  rig.run({{writing(file_stripe - 5, file_stripe + 10, 0)}});
  CHECK(rig.sum(".iod.writes") == 2);
  std::vector<std::byte> expected(4 * file_stripe);
  content::fill(0, 0, 0, std::span(expected));
  content::fill(0, 1, file_stripe - 5, std::span(expected).subspan(file_stripe - 5, file_stripe + 10));
  for (std::uint64_t s = 0; s < 4; ++s)
    CHECK(std::ranges::equal(rig.on_disk(0, s), std::span(expected).subspan(s * file_stripe, file_stripe)));
}

TEST_CASE("cached blocks are not asked for again, and a block in the middle splits the request") {
  PvfsRig rig(1, 1, {8 * file_stripe});
  // Block 1 first; then blocks 0 to 3: block 0 and blocks 2 to 3 are missing: two requests more.
  rig.run({{reading(cached_block, cached_block, 0), reading(0, 4 * cached_block, cached_block),
            reading(0, 4 * cached_block, 5 * cached_block)}});
  CHECK(rig.sum(".iod.reads") == 1 + 2);
  CHECK(rig.figure("misses") == 1 + 3);
  CHECK(rig.figure("hits") == 1 + 4);
  for (std::size_t call = 0; call < 3; ++call) CHECK(rig.has_read(0, call, 0));
}

TEST_CASE("a cached block splits only its own iod's request, and what an iod has in a row is one request") {
  PvfsRig rig(1, 2, {8 * file_stripe});
  // Block 4 first. Of blocks 0 to 7, the first iod then has 0, 1 and 5 to send, the second one 2, 3, 6 and 7.
  rig.run({{reading(4 * cached_block, cached_block, 0), reading(0, 8 * cached_block, cached_block)}});
  CHECK(rig.sum(".iod.reads") == 1 + 2 + 1);
  CHECK(rig.figure("misses") == 1 + 7);
  CHECK(rig.has_read(0, 1, 0));
}

TEST_CASE("the module makes up the acknowledgements that libpvfs waits for, and each call costs what a socket's does") {
  for (const auto operation : {requests::Operation::read, requests::Operation::write}) {
    os::SocketParams sockets;
    sockets.socket_write = Cycles{100};
    sockets.socket_read = Cycles{10};
    PvfsRig rig(1, 2, {8 * file_stripe}, sockets);
    rig.params.module.overhead = Cycles{1};
    Access again = reading(0, 2 * file_stripe, 2 * file_stripe);
    again.operation = operation;
    rig.run({{reading(0, 2 * file_stripe, 0), again, again}});  // the second one still meets handlers of the first
    // Two iods: a request, data and an acknowledgement each, without a message. A cycle takes a nanosecond.
    const int cycles = 2 * (101 + (operation == requests::Operation::read ? 10 : 100) + 10);
    CHECK(rig.job.record.latencies().kept().back() == Duration{std::chrono::nanoseconds(cycles)});
  }
}

TEST_CASE("processes of a node share its cache, and those of another node do not") {
  for (const std::uint32_t second : {0u, 1u}) {
    PvfsRig rig(2, 1, {8 * file_stripe});
    rig.run({{reading(0, 2 * cached_block, 0), barrier()}, {barrier(), reading(0, 2 * cached_block, 0)}}, {0, second});
    CHECK(rig.figure("hits") == (second == 0 ? 2 : 0));
    CHECK(rig.figure("misses") == (second == 0 ? 2 : 4));
    CHECK(rig.has_read(1, 1, 0));
  }
}

TEST_CASE("a block that is on its way for one process is awaited by another one of the node, not asked for again") {
  PvfsRig rig(1, 1, {8 * file_stripe});
  rig.run({{reading(0, 2 * cached_block, 0)}, {reading(0, 2 * cached_block, 0)}}, {0, 0});
  CHECK(rig.figure("misses") == 2);
  CHECK(rig.figure("joined") == 2);
  CHECK(rig.sum(".iod.reads") == 1);
  CHECK(rig.has_read(1, 0, 0));
}

TEST_CASE("a write ends when the cache has it, and reaches the data node later") {
  PvfsRig rig(1, 1, {8 * file_stripe});
  rig.run({{writing(0, cached_block, 0)}});
  // Nothing is charged on these nodes: the call takes no time, whereas a message takes a microsecond.
  CHECK(rig.job.record.latencies().kept().front() == Duration{0});
  CHECK(rig.sum(".cache_module.flushed") == 1);
  std::vector<std::byte> expected(cached_block);
  content::fill(0, 1, 0, std::span(expected));
  CHECK(std::ranges::equal(rig.on_disk(0, 0).first(cached_block), expected));
}

TEST_CASE("a write waits for room when the cache is full of changed blocks") {
  PvfsRig rig(1, 1, {16 * file_stripe});
  rig.params.module.size = {4 * cached_block};
  rig.run({{writing(0, 12 * cached_block, 0)}});
  CHECK(rig.figure("waits") > 0);
  CHECK(rig.figure("written") == 12);
  CHECK(rig.job.record.latencies().kept().front() > Duration{0});
}

TEST_CASE("the harvester begins below the low water mark and stops at the high one") {
  // Of 16 blocks the marks are 4 and 8. With 12 blocks read 4 are free; with 13, 3 are, and 5 more are freed.
  for (const std::uint32_t blocks : {12u, 13u}) {
    PvfsRig rig(1, 1, {16 * file_stripe});
    rig.params.module.low_water = 0.25;
    rig.params.module.high_water = 0.5;
    rig.run({{reading(0, blocks * cached_block, 0)}});
    CHECK(rig.sum(".cache_module.harvested") == (blocks == 12 ? 0 : 5));
  }
}

TEST_CASE("a read of more than the cache holds, and reads of several processes together, do not wait for one another") {
  PvfsRig rig(1, 2, {16 * file_stripe});
  rig.params.module.size = {4 * cached_block};
  rig.run({{reading(0, 16 * cached_block, 0)},
           {reading(16 * cached_block, 16 * cached_block, 0)},
           {reading(8 * cached_block, 16 * cached_block, 0)}},
          {0, 0, 0});
  for (std::uint32_t p = 0; p < 3; ++p) CHECK(rig.has_read(p, 0, 0));
}

TEST_CASE("after a plain write elsewhere a cache may give old bytes, and each such read is counted") {
  PvfsRig rig(2, 1, {8 * file_stripe});
  rig.run({{reading(0, 2 * cached_block, 0), barrier(), barrier(), reading(0, 2 * cached_block, 2 * cached_block)},
           {barrier(), writing(0, cached_block, 0), barrier()}});
  CHECK(rig.has_read(0, 3, 0));  // what its cache had
  CHECK(rig.figure("stale_reads") == 1);
  CHECK(rig.figure("stale_bytes") == cached_block);
  CHECK(rig.figure("invalidated") == 0);
}

TEST_CASE("sync_write invalidates the copies in all other caches, so that reads find the new bytes") {
  for (const bool every_write : {false, true}) {  // asked for by the call, or by the configuration
    PvfsRig rig(3, 2, {8 * file_stripe});
    rig.params.module.coherent = every_write;
    Access write = writing(0, 3 * cached_block, 0);
    if (!every_write) write = coherent(write);
    const std::vector<Access> reader{reading(0, 4 * cached_block, 0), barrier(), barrier(),
                                     reading(0, 4 * cached_block, 4 * cached_block)};
    rig.run({reader, {barrier(), write, barrier()}, reader});
    for (const std::uint32_t p : {0u, 2u}) {
      std::vector<std::byte> expected(4 * cached_block);
      content::fill(0, 1, 0, std::span(expected).first(3 * cached_block));
      content::fill(0, 0, 3 * cached_block, std::span(expected).subspan(3 * cached_block));
      CHECK(std::ranges::equal(rig.memory(p, rig.work.calls[p][3]), expected));
    }
    CHECK(rig.figure("stale_reads") == 0);
    CHECK(rig.figure("invalidated") == 2 * 3);
  }
}

TEST_CASE("processes that read from the data node see a plain write") {
  PvfsRig rig(2, 1, {8 * file_stripe});
  // The flusher runs every half a second; the reader comes after a second.
  Access late = reading(0, cached_block, 0);
  late.not_before = 1000_ms;
  rig.run({{writing(0, cached_block, 0), late}, {late}});
  CHECK(rig.has_read(1, 0, 1));
  CHECK(rig.figure("stale_reads") == 0);
}

TEST_CASE("with the global cache a data node asks the cache that holds a block before it reads the disk") {
  for (const bool global : {false, true}) {
    PvfsRig rig(2, 1, {64 * file_stripe});
    rig.params.module.global = global;
    rig.params.module.size = {64 * cached_block};
    rig.params.page_cache.size = {64 << 10};
    rig.params.page_cache.read_ahead = {0};
    // The first process reads stripe 0, and then so much that the data node's kernel, which keeps 8 stripes, forgets
    // it.
    std::vector<Access> first{reading(0, file_stripe, 0)};
    for (std::uint64_t s = 1; s < 12; ++s) first.push_back(reading(s * file_stripe, file_stripe, s * file_stripe));
    first.push_back(barrier());
    rig.run({first, {barrier(), reading(0, file_stripe, 0)}});
    CHECK(rig.has_read(1, 1, 0));
    CHECK(rig.sum(".iod.from_caches") == (global ? 2 : 0));
    CHECK(rig.sum(".cache_module.provided") == (global ? 2 : 0));
    CHECK(rig.machine[2].disk(0).log.size() == (global ? 12 : 13));
  }
}

TEST_CASE("reading on makes the module ask ahead, up to the file's end") {
  PvfsRig rig(1, 1, {3 * file_stripe + 100});
  rig.params.module.read_ahead = {2 * cached_block};
  std::vector<Access> calls;
  for (std::uint64_t b = 0; b < 6; ++b) calls.push_back(reading(b * cached_block, cached_block, b * cached_block));
  calls.push_back(reading(6 * cached_block, 100, 6 * cached_block));
  rig.run({calls});
  for (std::size_t call = 0; call < 7; ++call) CHECK(rig.has_read(0, call, 0));
  // The first two reads have nothing to go on from: the second one asks for blocks 2 and 3, and so on.
  CHECK(rig.figure("misses") == 2);
  CHECK(rig.sum(".cache_module.read_ahead") >= 5);
}

TEST_CASE("the data node's kernel reads ahead, keeps what it has read, and writes changed pages when they are old") {
  PvfsRig rig(1, 1, {32 * file_stripe});
  rig.params.module.enabled = false;
  rig.params.page_cache.read_ahead = {4 * file_stripe};
  Access late = reading(0, 10, 2 * file_stripe);
  late.not_before = 40000_ms;
  rig.run({{reading(0, file_stripe, 0), reading(0, file_stripe, 0), writing(20 * file_stripe, 10, file_stripe), late}});
  CHECK(rig.sum(".page_cache.misses") == 1);
  CHECK(rig.sum(".page_cache.hits") == 2);
  CHECK(rig.sum(".page_cache.read_ahead") == 4 * file_stripe / 4096);
  // The write changes a part of a page, which is read first. It is on disk after 30 s, and at most 5 s later.
  const auto& log = rig.machine[1].disk(0).log;
  REQUIRE(log.back().write);
  CHECK(log.back().sectors == 8);
  CHECK(log.back().when >= Time{30000_ms});
  CHECK(log.back().when <= Time{36000_ms});
}

TEST_CASE("each data node's kernel reads ahead from the beginning of its part of a file") {
  PvfsRig rig(1, 2, {32 * file_stripe});
  rig.params.module.enabled = false;
  rig.params.page_cache.read_ahead = {4 * file_stripe};
  rig.run({{reading(0, 2 * file_stripe, 0)}});
  CHECK(rig.sum(".page_cache.read_ahead") == 2 * 4 * file_stripe / 4096);
}

TEST_CASE("random reads and writes of several processes find the right bytes with any caches") {
  RandomStream random(7, "calls");
  for (std::uint32_t round = 0; round < 120; ++round) {
    const std::uint32_t applications = 1 + round % 3, data = 1 + round % 4, processes = applications + round % 3;
    const std::uint64_t bytes = 24 * file_stripe + 1000;
    PvfsRig rig(applications, data, {bytes, bytes});
    auto& cache = rig.params.module;
    const auto names = io::replacement_parameter().allowed;
    cache.enabled = round % 7 != 0;
    cache.size = {(2 + random.below(20)) * cached_block};
    cache.replacement = names[round % names.size()];
    cache.coherent = round % 5 == 0;
    cache.global = round % 4 == 1;
    cache.read_ahead = {round % 3 * cached_block};
    cache.flush_period = round % 2 ? 2_ms : 500_ms;
    rig.params.page_cache.size = {64 << 10};
    rig.params.page_cache.replacement = names[round / names.size() % names.size()];
    rig.params.page_cache.dirty_age = 20_ms;
    rig.params.page_cache.write_back_period = 10_ms;
    // Every process has a part of both files to itself; the parts' borders lie in the middle of blocks.
    const std::uint64_t part = bytes / processes;
    std::vector<std::vector<Access>> calls(processes);
    std::vector<std::vector<std::vector<char>>> seen(processes);  // by call: the version of each byte
    std::vector<std::uint32_t> node_of;
    for (std::uint32_t p = 0; p < processes; ++p) {
      node_of.push_back(p % applications);
      std::vector<std::vector<char>> version(2, std::vector<char>(bytes));
      std::uint64_t memory = 0;
      for (int i = 0; i < 40; ++i) {
        const auto file = static_cast<std::uint32_t>(random.below(2));
        const std::uint64_t length = 1 + random.below(i % 4 ? 3000 : 3 * file_stripe);
        const std::uint64_t from = p * part + random.below(part - std::min(part - 1, length) + 1);
        const std::uint64_t some = std::min(length, (p + 1) * part - from);
        Access a = random.below(2) ? reading(from, some, memory) : writing(from, some, memory);
        a.file = file;
        a.coherent = random.below(4) == 0;
        memory += some;
        auto& mine = version[file];
        if (a.operation == requests::Operation::write)
          std::fill_n(mine.begin() + static_cast<std::ptrdiff_t>(from), some, 1);
        calls[p].push_back(a);
        seen[p].emplace_back(mine.begin() + static_cast<std::ptrdiff_t>(from),
                             mine.begin() + static_cast<std::ptrdiff_t>(from + some));
      }
    }
    INFO("round " << round);
    rig.run(calls, node_of);
    for (std::uint32_t p = 0; p < processes; ++p)
      for (std::size_t c = 0; c < calls[p].size(); ++c) {
        const Access& a = calls[p][c];
        std::vector<std::byte> old(a.bytes), fresh(a.bytes);
        content::fill(a.file, 0, a.offset, std::span(old));
        content::fill(a.file, 1, a.offset, std::span(fresh));
        const auto found = rig.memory(p, a);
        std::uint64_t wrong = 0;
        for (std::uint64_t i = 0; i < a.bytes; ++i) wrong += found[i] != (seen[p][c][i] ? fresh : old)[i];
        CHECK(wrong == 0);
      }
    // On disk is what was written last.
    std::vector<std::vector<char>> last(2, std::vector<char>(bytes));
    for (const auto& each : calls)
      for (const Access& a : each)
        if (a.operation == requests::Operation::write)
          std::fill_n(last[a.file].begin() + static_cast<std::ptrdiff_t>(a.offset), a.bytes, 1);
    for (std::uint32_t f = 0; f < 2; ++f) {
      std::uint64_t wrong = 0;
      for (std::uint64_t s = 0; s * file_stripe < bytes; ++s) {
        const std::uint32_t some = rig.volume.bytes_in_block(f, s);
        std::vector<std::byte> old(some), fresh(some);
        content::fill(f, 0, s * file_stripe, std::span(old));
        content::fill(f, 1, s * file_stripe, std::span(fresh));
        for (std::uint32_t i = 0; i < some; ++i)
          wrong += rig.on_disk(f, s)[i] != (last[f][s * file_stripe + i] ? fresh : old)[i];
      }
      CHECK(wrong == 0);
    }
    CHECK((!cache.enabled || rig.figure("stale_reads") == 0 || processes > 1));
  }
}

TEST_CASE("the cache module and the iod's kernel say what happens to their blocks") {
  PvfsRig rig(1, 1, {8 * file_stripe});
  rig.params.page_cache.read_ahead = {0};
  test::BlockNotes module(rig.endpoints.os(0)), kernel(rig.endpoints.os(1));
  // Block 1, then blocks 0 and 1; then half of block 4 is written, and all of it read.
  rig.run(
      {{reading(cached_block, cached_block, 0), reading(0, 2 * cached_block, cached_block),
        writing(4 * cached_block, 100, 3 * cached_block), reading(4 * cached_block, cached_block, 4 * cached_block)}});
  CHECK(module.lines == test::Lines{"miss 1", "miss 0", "hit 1", "write 4", "partial hit 4", "write back 4"});
  // Stripes of two blocks. The kernel's page of block 4 is there when the module's changed bytes of it come.
  CHECK(kernel.lines == test::Lines{"miss 0", "miss 0", "miss 2", "write 2", "write back 2"});
}

TEST_CASE("a read finds part of its pages with the iod's kernel") {
  PvfsRig rig(1, 1, {8 * file_stripe});
  rig.params.module.enabled = false;
  rig.params.page_cache.read_ahead = {file_stripe};
  test::BlockNotes kernel(rig.endpoints.os(1));
  // Not from the beginning, so that the kernel does not read on before the third call.
  rig.run({{reading(2 * file_stripe, 10, 0), reading(2 * file_stripe, file_stripe, 10),
            reading(3 * file_stripe, file_stripe, 10 + file_stripe)}});
  CHECK(kernel.lines == test::Lines{"miss 2", "partial hit 2", "miss 3", "prefetch 4"});
}

TEST_CASE("the kernel of the iod says which stripe makes room for another") {
  PvfsRig rig(1, 1, {8 * file_stripe});
  rig.params.module.enabled = false;
  rig.params.page_cache.read_ahead = {0};
  rig.params.page_cache.size = {4 * file_stripe};
  test::BlockNotes kernel(rig.endpoints.os(1));
  rig.run({{reading(0, 4 * file_stripe, 0), reading(0, 10, 4 * file_stripe),
            reading(6 * file_stripe, 10, 4 * file_stripe)}});
  CHECK(kernel.lines == test::Lines{"miss 0", "miss 1", "miss 2", "miss 3", "hit 0", "evict 1", "miss 6"});
}

TEST_CASE("the cache module reports blocks asked for ahead, freed, given to other nodes and dropped") {
  {
    PvfsRig rig(1, 1, {8 * file_stripe});
    rig.params.module.read_ahead = {2 * cached_block};
    test::BlockNotes module(rig.endpoints.os(0));
    std::vector<Access> calls;
    for (std::uint64_t b = 0; b < 2; ++b) calls.push_back(reading(b * cached_block, cached_block, b * cached_block));
    calls.push_back(reading(4 * cached_block, cached_block, 2 * cached_block));
    calls.push_back(reading(5 * cached_block, cached_block, 3 * cached_block));
    rig.run({calls});
    // The first read begins where the file does, and so goes on already.
    CHECK(module.lines ==
          test::Lines{"miss 0", "miss 1", "prefetch 2", "prefetch 3", "miss 4", "miss 5", "prefetch 6", "prefetch 7"});
    CHECK(rig.sum(".cache_module.read_ahead") == 4);
  }
  {
    PvfsRig rig(1, 1, {16 * file_stripe});
    rig.params.module.low_water = 0.25;
    rig.params.module.high_water = 0.25;
    test::BlockNotes module(rig.endpoints.os(0));
    rig.run({{reading(0, 14 * cached_block, 0)}});
    std::vector<std::string> freed;
    std::ranges::copy_if(module.lines, std::back_inserter(freed), [](const auto& l) { return l.starts_with("evict"); });
    CHECK(freed == test::Lines{"evict 0", "evict 1"});
  }
  {
    PvfsRig rig(2, 1, {8 * file_stripe});
    rig.params.module.global = true;
    rig.params.page_cache.size = {4 * file_stripe};
    rig.params.page_cache.read_ahead = {0};
    test::BlockNotes holder(rig.endpoints.os(0));
    // Others' stripes replace the first one with the iod's kernel; then another node wants it.
    rig.run({{reading(0, cached_block, 0), reading(2 * file_stripe, 4 * file_stripe, cached_block), barrier()},
             {barrier(), reading(0, cached_block, 0)}});
    CHECK(std::ranges::count(holder.lines, "provide 0") == 1);
    CHECK(rig.sum(".cache_module.provided") == 1);
  }
  {
    PvfsRig rig(2, 1, {8 * file_stripe});
    test::BlockNotes reader(rig.endpoints.os(0));
    rig.run({{reading(0, cached_block, 0), barrier(), barrier()},
             {barrier(), coherent(writing(0, 2 * cached_block, 0)), barrier()}});
    CHECK(reader.lines == test::Lines{"miss 0", "invalidate 0"});  // it never had block 1
  }
}

TEST_CASE("unreadable blocks are reported and not put into caches as valid, and the rest of the call is there") {
  for (const bool module : {false, true}) {
    PvfsRig rig(1, 2, {4 * file_stripe});
    rig.params.module.enabled = module;
    rig.machine[2].disk(0).broken = true;  // stripes 1 and 3
    rig.run({{reading(0, 4 * file_stripe, 0), reading(file_stripe + 100, 10, 4 * file_stripe),
              reading(2 * file_stripe, 10, 5 * file_stripe)}});
    CHECK(rig.job.record.failed_units() == 2);
    std::uint64_t missing = 0;
    for (const requests::Failed& failed : rig.job.record.failures()) {
      CHECK(failed.operation == requests::Operation::read);
      CHECK(failed.status == hal::Status::no_device);
      CHECK(failed.offset / file_stripe % 2 == 1);
      CHECK((failed.offset + failed.bytes - 1) / file_stripe % 2 == 1);
      missing += failed.bytes;
    }
    CHECK(missing == 2 * file_stripe + 10);
    CHECK(rig.job.record.bytes_not_moved() == missing);
    CHECK(rig.job.record.bytes() == 4 * file_stripe + 20 - missing);
    CHECK(rig.has_read(0, 2, 0));
    if (module) CHECK(rig.figure("hits") == 1);  // of the third call; the second has asked the iod again
  }
}

TEST_CASE("pages that cannot be written are lost: the data node reports which, and the run ends") {
  for (const bool module : {false, true}) {
    PvfsRig rig(1, 2, {4 * file_stripe});
    rig.params.module.enabled = module;
    rig.machine[2].disk(0).broken = true;
    rig.run({{writing(0, 4 * file_stripe, 0)}});
    CHECK(rig.job.record.failed_units() == 0);  // the write had ended by then
    std::uint64_t lost = 0;
    for (const requests::Failed& failed : rig.job.record.failures()) {
      CHECK(failed.operation == requests::Operation::write);
      CHECK(failed.offset / file_stripe % 2 == 1);
      lost += failed.bytes;
    }
    CHECK(lost == 2 * file_stripe);
  }
}

TEST_CASE("a write of a part of a page that cannot be read fails, and the next one finds no cluster locked") {
  PvfsRig rig(1, 2, {4 * file_stripe});
  rig.params.module.enabled = false;
  rig.machine[2].disk(0).broken = true;
  rig.run({{writing(file_stripe + 10, 20, 0), writing(file_stripe + 10, 20, 20), writing(2 * file_stripe, 10, 40),
            writing(file_stripe, cached_block, 50)}});
  CHECK(rig.job.record.failed_units() == 2);
  const auto& failures = rig.job.record.failures();
  REQUIRE(failures.size() == 3);
  CHECK(failures[0].offset == file_stripe + 10);
  CHECK(failures[0].bytes == 20);
  CHECK(failures[2].offset == file_stripe);  // of the whole page, which could not be written back
  CHECK(failures[2].bytes == cached_block);
}
