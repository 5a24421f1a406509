// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>

#include "models/core/random.h"
#include "tests/support/block_notes.h"
#include "tests/support/catch.h"
#include "tests/support/firmware_rig.h"
#include "tests/support/statistics.h"

using namespace sunstar;
using namespace sunstar::literals;
using test::FirmwareRig;
using test::ListedCalls;
using test::reading;
using test::writing;

namespace {

/// As many compute processors, and caches of `cache` bytes.
struct Rig : FirmwareRig {
  Rig(std::uint32_t compute, std::uint32_t disks, std::uint64_t file_bytes, std::uint64_t cache = 64 << 10,
      const os::Costs& costs = test::free_of_charge())
      : FirmwareRig(compute, disks, file_bytes, costs) {
    kind = file_systems::enwrich::Params{};
    params().cache_size = {cache};
  }
  /// The processor stops at that time of the run.
  void stop_at(std::uint32_t processor, Duration when) {
    endpoints.common.peers = os::Watched{};
    before_start = [this, processor, when] {
      endpoints.os(processor).after(Time{when}, [this, processor] { stop(processor); });
    };
  }
  file_systems::enwrich::WriteCacheParams& params() { return enwrich().enwrich; }
  double statistic(const std::string& name) {
    StatisticSet set;
    file_system->add_statistics(set);
    return test::value_of(set, "enwrich." + name);
  }
  bool holds(std::uint64_t from, std::uint64_t to, std::uint32_t version) {
    for (std::uint64_t b = from / block; b * block < to; ++b) {
      const std::uint64_t first = std::max(from, b * block), last = std::min(to, (b + 1) * block);
      if (!content::matches(0, version, first, std::as_const(*this).part(b, first, last))) return false;
    }
    return true;
  }
  std::span<const std::byte> part(std::uint64_t b, std::uint64_t first, std::uint64_t last) const {
    return std::span<const std::byte>(const_cast<Rig*>(this)->on_disk(b)).subspan(first - b * block, last - first);
  }
};

/// One block after the other without a pause, each 1 ms of computing.
os::Costs one_ms_a_write() {
  os::Costs costs = test::free_of_charge();
  costs.log_append = {1'000'000};  // of 1 ns here
  return costs;
}
std::vector<requests::Access> blocks_in_order(int n) {
  std::vector<requests::Access> calls;
  for (int i = 0; i < n; ++i) calls.push_back(writing(1024 * i, 1024, 1024 * i));
  return calls;
}

requests::Access at(Duration when, requests::Access a) {
  a.not_before = when;
  return a;
}

}  // namespace

TEST_CASE("writes stay in the caches until the end, and go to disk in one flush, each block once") {
  Rig rig(2, 2, 8 * 1024);
  rig.run({{writing(0, 4096)}, {writing(4096, 4096)}});
  REQUIRE(rig.record().finished());
  CHECK(rig.holds(0, 8 * 1024, 1));
  CHECK(rig.statistic("flushes") == 1);
  CHECK(rig.statistic("end_flushes") == 1);
  CHECK(rig.blocks(0, true) == std::vector<std::uint64_t>{0, 2, 4, 6});
  CHECK(rig.blocks(0, false).empty());
  CHECK(rig.record().units() == 2);
}

TEST_CASE("a block that the cached bytes do not cover is read first, and the bytes around them are kept") {
  Rig rig(2, 1, 4 * 1024);
  rig.run({{writing(100, 50)}, {writing(1020, 8)}});
  CHECK(rig.holds(0, 100, 0));
  CHECK(rig.holds(100, 150, 1));
  CHECK(rig.holds(150, 1020, 0));
  CHECK(rig.holds(1020, 1028, 1));
  CHECK(rig.holds(1028, 4096, 0));
  CHECK(rig.blocks(0, false) == std::vector<std::uint64_t>{0, 1});
  CHECK(rig.statistic("fetched_blocks") == 2);
}

TEST_CASE("a full data section, and a full directory, begin a flush of all caches") {
  // 4000 bytes: 400 of directory, 16 entries; 3600 of data, three blocks of a write of 8 KiB at a time.
  Rig data(2, 2, 16 * 1024, 4000);
  data.run({{writing(0, 8192)}, {writing(8192, 100)}});
  CHECK(data.statistic("flushes") == 3);  // 3 + 3 + 2 blocks, the last ones at the end
  CHECK(data.statistic("data_flushes") == 2);
  CHECK(data.holds(0, 8292, 1));
  Rig directory(1, 1, 1024, 4000);
  std::vector<requests::Access> small;
  for (int i = 0; i < 20; ++i) small.push_back(writing(8 * i, 8, 8 * i));
  directory.run({small});
  CHECK(directory.statistic("directory_flushes") == 1);
  CHECK(directory.holds(0, 160, 1));
  CHECK(directory.holds(160, 1024, 0));
}

TEST_CASE("overlapping writes of several processors take effect in the order of their time stamps") {
  // Three processors write [0,600), [300,900) and [100,800), each its own letter, in each of the six orders, 1 ms
  // apart.
  const std::pair<std::uint64_t, std::uint64_t> ranges[] = {{0, 600}, {300, 900}, {100, 800}};
  std::vector<int> order{0, 1, 2};
  do {
    for (bool gather : {false, true}) {
      CAPTURE(order, gather);
      Rig rig(3, 1, 1024);
      rig.params().gather = gather;
      std::vector<std::vector<requests::Access>> calls(3);
      std::string expected(1024, '.');
      for (int turn = 0; turn < 3; ++turn) {
        const int p = order[static_cast<std::size_t>(turn)];
        const auto [from, to] = ranges[p];
        calls[static_cast<std::size_t>(p)].push_back(at((turn + 1) * 1_ms, writing(from, to - from)));
        std::fill(expected.begin() + static_cast<std::ptrdiff_t>(from),
                  expected.begin() + static_cast<std::ptrdiff_t>(to), static_cast<char>('A' + p));
      }
      rig.before_start = [&] {
        for (int p = 0; p < 3; ++p)
          std::ranges::fill(std::span(rig.job.memory[static_cast<std::size_t>(p)].base,
                                      rig.job.memory[static_cast<std::size_t>(p)].bytes),
                            std::byte('A' + p));
        std::ranges::fill(rig.on_disk(0), std::byte('.'));
      };
      for (auto& c : calls) c.front().memory = 0;
      // The buffers must reach as far as the longest write.
      calls[0].push_back(at(9_ms, writing(1023, 1, 999)));
      expected[1023] = 'A';
      rig.run(calls);
      const auto on_disk = rig.on_disk(0);
      CHECK(std::string(reinterpret_cast<const char*>(on_disk.data()), 1024) == expected);
    }
  } while (std::ranges::next_permutation(order).found);
}

TEST_CASE(
    "random overlapping writes through small caches take effect byte for byte in the order of their time stamps") {
  RandomStream random(7, "enwrich_test");
  for (int round = 0; round < 40; ++round) {
    constexpr std::uint32_t processors = 4;
    constexpr std::uint64_t bytes = 8 * 1024;
    Rig rig(processors, 2, bytes, 2000 + random.below(20'000));
    auto& params = rig.params();
    params.division =
        random.below(2) ? file_systems::enwrich::CacheDivision::shared : file_systems::enwrich::CacheDivision::fixed;
    params.background = random.below(2);
    params.flush_threshold = params.background ? 0.5 : 1;
    params.gather = random.below(2);
    params.early_directories = random.below(2);
    params.done_when =
        random.below(2) ? file_systems::enwrich::DoneWhen::fetched : file_systems::enwrich::DoneWhen::written;
    rig.enwrich().buffers_per_disk = static_cast<std::uint32_t>(1 + random.below(8));
    if (random.below(3) == 0) params.flush_timeout = 3_ms;
    std::string expected(bytes, '.');
    std::vector<std::vector<requests::Access>> calls(processors);
    std::vector<std::pair<std::uint32_t, requests::Access>> all;
    // Far enough apart that a call's flush never delays the next one: the order of the calls is that of the writes.
    for (int i = 0; i < 40; ++i) {
      const auto p = static_cast<std::uint32_t>(random.below(processors));
      const std::uint64_t from = random.below(bytes - 1),
                          length = 1 + random.below(std::min<std::uint64_t>(bytes - from, 2500));
      std::uint64_t memory = 0;
      for (const auto& a : calls[p]) memory = std::max(memory, a.memory + a.bytes);
      calls[p].push_back(at((i + 1) * 1000_ms, writing(from, length, memory)));
      all.emplace_back(p, calls[p].back());
      std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(from), length, static_cast<char>('0' + i));
    }
    rig.before_start = [&] {
      for (std::size_t i = 0; i < all.size(); ++i)
        std::fill_n(rig.job.memory[all[i].first].base + all[i].second.memory, all[i].second.bytes, std::byte('0' + i));
      for (std::uint64_t b = 0; b < bytes / 1024; ++b) std::ranges::fill(rig.on_disk(b), std::byte('.'));
    };
    rig.run(calls);
    REQUIRE(rig.record().finished());
    std::string found;
    for (std::uint64_t b = 0; b < bytes / 1024; ++b)
      found.append(reinterpret_cast<const char*>(rig.on_disk(b).data()), 1024);
    CAPTURE(round);
    REQUIRE(found == expected);
  }
}

TEST_CASE("opening a file for reading shows the writes of others, but with flush_on_read off it may not") {
  for (bool flush : {true, false}) {
    Rig rig(2, 1, 2 * 1024);
    rig.params().flush_on_read = flush;
    rig.run({{writing(0, 1024)}, {at(5_ms, reading(0, 1024))}});
    const std::span<const std::byte> memory(rig.job.memory[1].base, 1024);
    CHECK(content::matches(0, flush ? 1 : 0, 0, memory));
    CHECK(rig.statistic("read_flushes") == (flush ? 1 : 0));
  }
}

TEST_CASE("a read flushes its own file alone, but two files at once are flushed with all others") {
  // Processors 0 and 1 write half of a block of each of two files at 1 ms. Processor 0 reads file 0 at 10 ms; processor
  // 1 reads file 1 at the same time, or later.
  const auto of = [](std::uint32_t file, requests::Access a) {
    a.file = file;
    return a;
  };
  for (const auto& [second, lines] :
       {std::pair{10_ms, test::Lines{"flush 0", "flush 0", "write back 0", "write back 0"}},
        std::pair{50_ms, test::Lines{"flush 0", "write back 0"}}}) {
    Rig rig(2, 1, 1024);
    io::StoredFile other;
    other.bytes = 1024;
    other.on_unit.resize(1);
    other.on_unit[0].push_back(100);
    rig.volume.add(std::move(other));
    ListedCalls work;
    work.files_ = {{"file", 1024, true, true}, {"other", 1024, true, true}};
    for (std::uint32_t p = 0; p < 2; ++p)
      work.calls.push_back({at(1_ms, writing(512 * p, 512)), at(1_ms, of(1, writing(512 * p, 512, 512))),
                            at(p == 0 ? 10_ms : second, of(p, reading(0, 1024, 1024)))});
    test::BlockNotes io(rig.io());
    std::optional<test::Lines> at_40_ms;
    rig.before_start = [&] { rig.io().after(Time{40_ms}, [&] { at_40_ms = io.lines; }); };
    rig.run(work);
    REQUIRE(rig.record().finished());
    std::erase_if(at_40_ms.value(),
                  [](const std::string& line) { return !line.ends_with("0") || line.starts_with("m"); });
    CHECK(*at_40_ms == lines);
    CHECK(rig.statistic("flushed_blocks") == 2);
    for (std::uint32_t p = 0; p < 2; ++p)
      CHECK(content::matches(p, 1, 0, std::span<const std::byte>(rig.job.memory[p].base + 1024, 1024)));
  }
}

TEST_CASE("a processor that stops loses only what its cache holds and what it has not written yet") {
  // Processor 0 writes block 0 at 1 ms and would write block 2 at 20 ms; processor 1 writes blocks 4 and 6. It fails at
  // 10 ms.
  Rig rig(2, 1, 8 * 1024);
  rig.stop_at(0, 10_ms);
  rig.run({{at(1_ms, writing(0, 1024)), at(20_ms, writing(2048, 1024, 1024))},
           {at(1_ms, writing(4096, 1024)), at(20_ms, writing(6144, 1024, 1024))}});
  REQUIRE(rig.record().finished());
  const file_systems::Losses& losses = rig.file_system->losses();
  CHECK(losses.cached_bytes == 1024);
  CHECK(losses.calls == 1);
  CHECK(losses.bytes == 1024);
  CHECK(rig.holds(0, 4096, 0));
  CHECK(rig.holds(4096, 5120, 1));
  CHECK(rig.holds(6144, 7168, 1));
}

TEST_CASE("a processor that writes without a pause stops on time, not later") {
  for (const auto& [fails_at, written] : {std::pair{1_ns, 0}, {3500_us, 3}, {20_ms, 8}}) {
    CAPTURE(fails_at, written);
    Rig rig(1, 1, 8 * 1024, 64 << 10, one_ms_a_write());
    rig.stop_at(0, fails_at);
    rig.run({blocks_in_order(8)});
    REQUIRE(rig.record().finished());
    const file_systems::Losses& losses = rig.file_system->losses();
    CHECK(losses.calls == static_cast<std::uint64_t>(8 - written));
    CHECK(losses.bytes == (8 - static_cast<std::uint64_t>(written)) * 1024);
    // What was written before the end of the program was only in the cache; with 20 ms the last flush was first.
    CHECK(losses.cached_bytes == (written < 8 ? static_cast<std::uint64_t>(written) * 1024 : 0));
    CHECK(rig.holds(0, 8 * 1024, written < 8 ? 0 : 1));
  }
}

TEST_CASE(
    "a timeout starts a flush although a processor writes without a pause, and a background flush proceeds meanwhile") {
  // 8 ms of writing; the disk takes 1 ms a block. The first flush begins with the third write, which ends 3 ms after
  // the start.
  Time finished[2];
  for (bool background : {false, true}) {
    CAPTURE(background);
    Rig rig(1, 1, 8 * 1024, 64 << 10, one_ms_a_write());
    rig.params().flush_timeout = 2500_us;
    rig.params().background = background;
    rig.run({blocks_in_order(8)});
    CHECK(rig.statistic("timeout_flushes") == (background ? 1 : 2));
    CHECK(rig.holds(0, 8 * 1024, 1));
    finished[background] = *rig.record().finished();
  }
  CHECK(finished[0] >= Time{16_ms});  // one after the other
  CHECK(finished[1] < Time{14_ms});   // three blocks went to disk while others were written
}

TEST_CASE("in the background a flush begins at the threshold and writes continue meanwhile") {
  // 10,000 bytes: 9000 of data. Half is reached by the fifth write of 1000 bytes; the next four fit in while the disk,
  // 1 ms a request, is at work.
  std::vector<requests::Access> calls;
  for (int i = 0; i < 8; ++i) calls.push_back(writing(1000 * i, 1000, 1000 * i));
  Rig background(1, 1, 8 * 1024, 10'000);
  background.params().background = true;
  background.params().flush_threshold = 0.5;
  background.run({calls});
  CHECK(background.statistic("threshold_flushes") == 1);
  CHECK(background.statistic("data_flushes") == 0);
  CHECK(std::ranges::max(background.record().latencies().kept()) < 1_ms);
  CHECK(background.holds(0, 8000, 1));
}

TEST_CASE("a flush begins when the cache is filled to the threshold exactly") {
  // Five writes of 900 bytes are half of 9000.
  for (const double threshold : {0.5, 0.51}) {
    std::vector<requests::Access> calls;
    for (int i = 0; i < 5; ++i) calls.push_back(writing(900 * i, 900, 900 * i));
    Rig rig(1, 1, 8 * 1024, 10'000);
    rig.params().background = true;
    rig.params().flush_threshold = threshold;
    rig.run({calls});
    CHECK(rig.statistic("threshold_flushes") == (threshold == 0.5 ? 1 : 0));
    CHECK(rig.holds(0, 4500, 1));
  }
}

TEST_CASE(
    "a flush that is done when its blocks are fetched does not wait for the disk, but reads and the end of the run "
    "do") {
  // 5000 bytes: four blocks of data. The fifth write flushes them; the disk takes 1 ms a block.
  std::vector<requests::Access> calls;
  for (int i = 0; i < 8; ++i) calls.push_back(writing(1024 * i, 1024, 1024 * i));
  calls.push_back(reading(7 * 1024, 1024, 8 * 1024));
  for (auto done_when : {file_systems::enwrich::DoneWhen::written, file_systems::enwrich::DoneWhen::fetched}) {
    Rig rig(1, 1, 8 * 1024, 5000);
    rig.params().done_when = done_when;
    rig.enwrich().buffers_per_disk = 4;
    rig.run({calls});
    CHECK(rig.statistic("flushes") == 3);
    CHECK((rig.record().latencies().kept()[4] < 1_ms) == (done_when == file_systems::enwrich::DoneWhen::fetched));
    CHECK(rig.blocks(0, true) == std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(rig.holds(0, 8 * 1024, 1));
    CHECK(content::matches(0, 1, 7 * 1024, std::span<const std::byte>(rig.job.memory[0].base + 8 * 1024, 1024)));
    CHECK(rig.record().finished() >= rig.nodes.totals().last_completion);
  }
  // What an I/O processor still has in its buffers at the end of the program belongs to the run.
  calls.pop_back();
  Rig rig(1, 1, 8 * 1024, 5000);
  rig.params().done_when = file_systems::enwrich::DoneWhen::fetched;
  rig.enwrich().buffers_per_disk = 4;
  rig.run({calls});
  CHECK(rig.holds(0, 8 * 1024, 1));
  CHECK(rig.record().finished() >= rig.nodes.totals().last_completion);
  CHECK(rig.nodes.totals().writes == 8);
}

TEST_CASE("a timeout starts a flush") {
  Rig rig(1, 1, 4 * 1024);
  rig.params().flush_timeout = 5_ms;
  rig.run({{writing(0, 1024), at(50_ms, writing(1024, 1024, 1024))}});
  CHECK(rig.statistic("timeout_flushes") >= 1);
  CHECK(rig.disk(0).log.size() == 2);
  CHECK(rig.holds(0, 2048, 1));
}

TEST_CASE("gathering a block's pieces takes one message each way instead of one for each piece") {
  std::vector<requests::Access> calls;
  for (int i = 0; i < 64; ++i) calls.push_back(writing(16 * i, 16, 16 * i));
  std::size_t messages[2];
  for (bool gather : {false, true}) {
    Rig rig(1, 1, 1024);
    rig.params().gather = gather;
    rig.run({calls});
    CHECK(rig.holds(0, 1024, 1));
    messages[gather] = rig.machine.sent.size();
  }
  // 64 pieces; a list of 24 bytes each does not fit in one block of 1024 bytes: 42 and 22.
  CHECK(messages[0] - messages[1] == 2 * (64 - 2));
}

TEST_CASE("compute processors say what is appended to their logs and fetched, I/O processors what is flushed") {
  Rig rig(2, 1, 4 * 1024);
  test::BlockNotes near(rig.endpoints.os(0)), far(rig.endpoints.os(1)), io(rig.io());
  // The first processor writes block 0 twice and half of block 1, the second the rest of it and a part of block 3.
  rig.run({{writing(0, 1024), writing(0, 1024), writing(1024, 512)}, {writing(1536, 512), writing(3072, 10)}});
  CHECK(near.lines == test::Lines{"append 0", "append 0", "append 1", "fetch 0", "fetch 1"});
  CHECK(far.lines == test::Lines{"append 1", "append 3", "fetch 1", "fetch 3"});
  std::ranges::sort(io.lines);  // two blocks are under way at a time
  CHECK(io.lines == test::Lines{"flush 0", "flush 1", "flush 3", "read-modify-write 3", "write back 0", "write back 1",
                                "write back 3"});
}

TEST_CASE("a gathered flush fetches the same pieces, and each write back follows its flush") {
  Rig rig(1, 1, 8 * 1024);
  rig.params().gather = true;
  rig.enwrich().buffers_per_disk = 1;
  test::BlockNotes compute(rig.endpoints.os(0)), io(rig.io());
  rig.run({{writing(0, 512), writing(512, 512), writing(1024, 1024)}});
  CHECK(compute.lines == test::Lines{"append 0", "append 0", "append 1", "fetch 0", "fetch 0", "fetch 1"});
  CHECK(io.lines == test::Lines{"flush 0", "write back 0", "flush 1", "write back 1"});
}

TEST_CASE("a read passes by the write caches, and a processor that stops says what is lost") {
  Rig rig(2, 1, 8 * 1024);
  rig.params().flush_on_read = false;
  rig.stop_at(1, 5_ms);
  test::BlockNotes stopped(rig.endpoints.os(1)), io(rig.io());
  rig.run({{reading(2048, 100)}, {writing(4096, 1024), at(50_ms, writing(5120, 1024))}});
  CHECK(stopped.lines == test::Lines{"append 4", "lose 4"});
  CHECK(io.lines == test::Lines{"miss 2", "prefetch 3"});
}
