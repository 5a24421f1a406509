// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>

#include "models/core/error.h"
#include "sw/workload/ior/params.h"
#include "sw/workload/workload.h"
#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::literals;
using namespace sunstar::workload;
using Catch::Matchers::ContainsSubstring;

namespace {

MachineSizes ior_machine(std::uint32_t processors) {
  MachineSizes sizes;
  sizes.processors = processors;
  return sizes;
}

/// Three tasks; blocks of two transfers of 10 bytes; two segments.
IorParams small_ior() {
  IorParams params;
  params.transfer_size = 10_B;
  params.block_size = 20_B;
  params.segments = 2;
  return params;
}

/// "w0@20 | s | r0@0": operation, file and offset of each call, barriers as |, waits for the disks as s, closing
/// without that as c.
std::string ior_calls_of(const Workload& work, std::uint32_t task) {
  std::string all;
  const auto source = work.accesses(task);
  std::uint64_t memory = 0;
  for (Access a; source->next(a);) {
    if (!all.empty()) all += ' ';
    if (a.bytes == 0) {
      all += a.sync ? "s" : a.close ? "c" : "|";
      memory = 0;
      continue;
    }
    CHECK(a.bytes == 10);
    CHECK(a.memory == memory);
    CHECK(a.single);
    memory += a.bytes;
    all += (a.operation == Operation::write ? "w" : "r") + std::to_string(a.file) + "@" + std::to_string(a.offset);
  }
  return all;
}

Time at_second(int s) { return Time{std::chrono::seconds(s)}; }

/// A task whose calls take as long as the test says.
struct PlayingTask {
  PlayingTask(const Workload& work, std::uint32_t task) : source(work.accesses(task)) {}
  Access next(int second) {
    source->tell(at_second(second));
    Access access;
    REQUIRE(source->next(access));
    return access;
  }
  void ends(int second) {
    source->tell(at_second(second));
    Access access;
    CHECK_FALSE(source->next(access));
  }
  std::unique_ptr<AccessSource> source;
};

std::string ior_medium(const Workload& work, std::uint32_t file) {
  std::string all;
  std::uint64_t end = 0;
  work.oracle()->on_medium(file, [&](const ExpectedBytes& run) {
    CHECK(run.offset == end);
    end += run.bytes;
    all += std::to_string(run.bytes) + (run.version == Version::after ? "+ " : "- ");
  });
  CHECK(end == work.files()[file].bytes);
  return all;
}

NamedFigures ior_figures_of(const Workload& work) {
  NamedFigures figures;
  work.add_figures(figures);
  return figures.section("ior");
}
template <class Value>
Value ior_figure(NamedFigures& section, std::string_view name) {
  for (const auto& entry : section.entries())
    if (entry.name == name) return std::get<Value>(entry.value);
  FAIL("there is no figure " << name);
  return {};
}

std::string ior_refused(const IorParams& params, std::uint32_t processors = 3) {
  try {
    make(params, ior_machine(processors));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("IOR's tasks write blocks of one file in turn, and read what a task of another node wrote") {
  // Segment k of 60 bytes begins at 60 k, the block of task r at 20 r in it.
  IorParams params = small_ior();
  params.reorder_nodes = 1;
  params.fsync = true;
  const auto made = make(params, ior_machine(3));
  const Workload& work = *made;
  CHECK(ior_calls_of(work, 0) == "w0@0 w0@10 w0@60 w0@70 s | r0@20 r0@30 r0@80 r0@90");
  CHECK(ior_calls_of(work, 2) == "w0@40 w0@50 w0@100 w0@110 s | r0@0 r0@10 r0@60 r0@70");
  CHECK(work.access_count() == 2 * 3 * 4);
  CHECK(work.bytes_moved() == 240);
  CHECK(work.memory_bytes(1) == 40);
  CHECK(ior_medium(work, 0) == "120+ ");
  work.oracle()->in_memory(1, [](const InMemory& e) {  // no byte from before the run will do
    CHECK(std::get<BytesInMemory>(e).version == Version::after);
  });
}

TEST_CASE("IOR's tasks may have a file each, and several may run on a node") {
  IorParams params = small_ior();
  params.file_per_task = true;
  params.tasks_per_node = 2;
  params.tasks = 3;
  params.reorder_nodes = 1;
  const auto made = make(params, ior_machine(2));
  const Workload& work = *made;
  REQUIRE(work.files().size() == 3);
  CHECK(work.files()[2].name == "ior.00000002");
  CHECK(work.files()[2].bytes == 40);
  CHECK(ior_calls_of(work, 2) ==
        "w2@0 w2@10 w2@20 w2@30 c | r1@0 r1@10 r1@20 r1@30");  // 2 + 1 node of 2 tasks, round 3
  CHECK(work.node(1) == 0);
  CHECK(work.node(2) == 1);
  params.tasks = 0;
  CHECK(make(params, ior_machine(2))->processors() == 4);
}

TEST_CASE("with random offsets IOR's tasks access every transfer of a segment once, and read what another wrote") {
  for (const bool own : {false, true}) {
    IorParams params = small_ior();
    params.block_size = 1000_B;
    params.random_offsets = true;
    params.file_per_task = own;
    params.reorder_nodes = 1;
    const auto work = make(params, ior_machine(3));
    std::set<std::pair<std::uint32_t, std::uint64_t>> first, second;
    std::uint64_t in_order = 0;
    for (std::uint32_t task = 0; task < 3; ++task) {
      std::vector<std::uint64_t> written;
      const auto source = work->accesses(task), next = work->accesses((task + 1) % 3);
      for (Access a; source->next(a) && a.bytes > 0;) {
        in_order += !written.empty() && a.offset == written.back() + 10;
        written.push_back(a.offset);
        (written.size() <= 100 ? first : second).insert({a.file, a.offset});
      }
      Access a;
      do REQUIRE(next->next(a));
      while (a.operation == Operation::write || a.bytes == 0);  // task + 1 reads what task + 2 wrote
      CHECK(a.file == (own ? (task + 2) % 3 : 0));
    }
    CHECK(first.size() == 300);
    CHECK(second.size() == 300);
    CHECK(std::ranges::all_of(first, [&](auto a) { return a.second < (own ? 1000 : 3000); }));
    CHECK(in_order < 30);  // of 597; by chance about 6
  }
  IorParams params = small_ior();
  params.random_offsets = true;
  params.deadline = std::chrono::seconds(10);
  const auto work = make(params, ior_machine(3));
  std::set<std::uint64_t> written;
  for (std::uint32_t task = 0; task < 3; ++task) {
    PlayingTask playing(*work, task);
    written.insert(playing.next(0).offset);  // one transfer each, and then the deadline
    CHECK(playing.next(11).in_step);
  }
  std::string expected;
  for (std::uint64_t at = 0; at < 120; at += 10) expected += written.contains(at) ? '+' : '-';
  std::string found;
  work->oracle()->on_medium(0, [&](const ExpectedBytes& run) {
    found += std::string(run.bytes / 10, run.version == Version::after ? '+' : '-');
  });
  CHECK(found == expected);
  CHECK(std::ranges::count(found, '+') == 3);
}

TEST_CASE("IOR may only read, what is there, or only write") {
  IorParams params = small_ior();
  params.write = false;
  const auto reads_made = make(params, ior_machine(3));
  const Workload& reads = *reads_made;
  CHECK(ior_calls_of(reads, 1) == "r0@20 r0@30 r0@80 r0@90");
  CHECK(ior_medium(reads, 0) == "120- ");
  std::vector<Version> versions;
  reads.oracle()->in_memory(0, [&](const InMemory& e) { versions.push_back(std::get<BytesInMemory>(e).version); });
  CHECK(versions == std::vector<Version>(4, Version::before));
  params.write = true;
  params.read = false;
  const auto writes_made = make(params, ior_machine(3));
  const Workload& writes = *writes_made;
  CHECK(ior_calls_of(writes, 1) == "w0@20 w0@30 w0@80 w0@90 c");
  writes.oracle()->in_memory(0, [&](const InMemory&) { FAIL("nothing was read"); });
}

TEST_CASE("after the deadline of IOR every task catches up with the one that has made most transfers") {
  IorParams params = small_ior();
  params.deadline = std::chrono::seconds(10);
  const auto made = make(params, ior_machine(2));
  const Workload& work = *made;
  CHECK(work.stops_by_time());
  PlayingTask slow(work, 0), fast(work, 1);
  CHECK(slow.next(1).offset == 0);
  CHECK(fast.next(1).offset == 20);
  CHECK(fast.next(5).offset == 30);
  CHECK(fast.next(11).offset == 40 + 20);  // ten seconds after the start it may still begin one
  CHECK(fast.next(12).in_step);            // three transfers
  CHECK(slow.next(30).in_step);            // one, which took longer than the deadline
  CHECK(fast.next(30).close);              // all three are made
  CHECK(fast.next(30).in_step);            // the phase ends
  CHECK(slow.next(30).offset == 10);
  CHECK(slow.next(35).offset == 40);
  CHECK(slow.next(40).close);
  CHECK(slow.next(41).in_step);
  CHECK(work.access_count() == 2 * 2 * 3);
  CHECK(work.bytes_moved() == 2 * 2 * 30);
  CHECK(ior_medium(work, 0) == "40+ 10+ 10- 10+ 10- ");  // segment 0 and the first halves of the blocks of segment 1
  for (PlayingTask* task : {&slow, &fast}) {             // both read three
    for (int i = 0; i < 3; ++i) CHECK(task->next(50 + i).operation == Operation::read);
    task->ends(61);
  }
  CHECK(ior_calls_of(work, 0) == "w0@0 w0@10 w0@40 | c | r0@0 r0@10 r0@40");  // a later look finds the made transfers
  // 60 bytes from 1 s to 41 s, and from 50 s to 61 s.
  NamedFigures figures = ior_figures_of(work);
  CHECK(ior_figure<std::uint64_t>(figures.section("write"), "bytes") == 60);
  CHECK(ior_figure<double>(figures.section("write"), "elapsed_s") == 40);
  CHECK(ior_figure<double>(figures.section("read"), "elapsed_s") == 11);
}

TEST_CASE("a task that has made all its transfers before the deadline waits for the others, too") {
  IorParams params = small_ior();
  params.deadline = std::chrono::seconds(10);
  params.read = false;
  const auto made = make(params, ior_machine(2));
  const Workload& work = *made;
  PlayingTask slow(work, 0), fast(work, 1);
  for (int i = 0; i < 4; ++i) CHECK(fast.next(i).bytes == 10);
  CHECK(fast.next(4).in_step);
  for (int i = 0; i < 2; ++i) CHECK(slow.next(6 * i).bytes == 10);
  CHECK(slow.next(12).in_step);
  for (int i = 0; i < 2; ++i) CHECK(slow.next(13).bytes == 10);
  CHECK(slow.next(20).close);
  CHECK(fast.next(13).close);
  slow.ends(20);
  fast.ends(13);
  CHECK(ior_medium(work, 0) == "80+ ");
}

TEST_CASE("IOR's bandwidth is bytes over the time from its first task's start to its last one's end, as it prints") {
  IorParams params = small_ior();
  params.transfer_size = params.block_size = 1_MiB;
  params.segments = 1;
  params.fsync = true;
  const auto made = make(params, ior_machine(2));
  const Workload& work = *made;
  PlayingTask a(work, 0), b(work, 1);
  a.next(2), b.next(3);
  CHECK(a.next(4).sync);
  CHECK(b.next(5).sync);
  CHECK(a.next(6).in_step);  // all is on disk after 6 s
  CHECK(b.next(6).in_step);
  a.next(7), b.next(7);
  a.ends(8), b.ends(9);
  NamedFigures figures = ior_figures_of(work);
  // 2 MiB in 4 s and in 2 s.
  CHECK(ior_figure<double>(figures.section("write"), "mib_per_s") == Approx(0.5));
  CHECK(ior_figure<std::string>(figures.section("write"), "line") == "Max Write: 0.50 MiB/sec (0.52 MB/sec)");
  CHECK(ior_figure<std::string>(figures.section("read"), "line") == "Max Read:  1.00 MiB/sec (1.05 MB/sec)");
}

TEST_CASE("IOR's transfers are collectives, one each or one for a phase") {
  IorParams params = small_ior();
  params.fsync = true;
  params.reorder_nodes = 1;
  params.collective = IorCollective::transfer;
  const auto each_made = make(params, ior_machine(3));
  const Workload& each = *each_made;
  REQUIRE(each.collectives().size() == 8);
  CHECK(each.access_count() == 0);
  std::vector<requests::Piece> pieces;
  each.collectives()[3].mapping->pieces(0, 120, pieces);
  CHECK(pieces == std::vector<requests::Piece>{{0, 70, 30, 10}, {1, 90, 30, 10}, {2, 110, 30, 10}});
  pieces.clear();
  each.collectives()[4].mapping->pieces(0, 120, pieces);  // the first read: task 2 reads what task 0 wrote
  CHECK(pieces == std::vector<requests::Piece>{{2, 0, 0, 10}, {0, 20, 0, 10}, {1, 40, 0, 10}});
  CHECK(std::ranges::count_if(each.collectives(), &Collective::sync) == 1);
  CHECK(each.collectives()[3].sync);
  params.collective = IorCollective::phase;
  const auto whole_made = make(params, ior_machine(3));
  const Workload& whole = *whole_made;
  REQUIRE(whole.collectives().size() == 2);
  CHECK(whole.collectives()[0].operation == Operation::write);
  CHECK(whole.collective_bytes() == 240);
}

TEST_CASE("impossible parameters of IOR are refused with the value and what is allowed") {
  CHECK(ior_refused(small_ior()).empty());
  IorParams params = small_ior();
  params.block_size = 25_B;
  CHECK_THAT(ior_refused(params),
             ContainsSubstring("workload.block_size is 25 bytes; it must be a multiple of transfer_size, 10"));
  params = small_ior();
  params.write = params.read = false;
  CHECK_THAT(ior_refused(params),
             ContainsSubstring("workload.read is false, and write is false, too; one of them must be true"));
  params = small_ior();
  params.tasks = 7;
  params.tasks_per_node = 2;
  CHECK_THAT(ior_refused(params),
             ContainsSubstring("workload.tasks is 7; the machine has 3 compute processors for 2 each"));
  params = small_ior();
  params.collective = IorCollective::phase;
  params.file_per_task = true;
  CHECK_THAT(ior_refused(params), ContainsSubstring("workload.collective is phase, but file_per_task is true"));
  params.file_per_task = false;
  params.deadline = std::chrono::seconds(1);
  CHECK_THAT(ior_refused(params), ContainsSubstring("workload.collective is phase, but there is a deadline"));
  params.deadline = {};
  params.random_offsets = true;
  CHECK_THAT(ior_refused(params), ContainsSubstring("workload.collective is phase, but offsets are random"));
  params = small_ior();
  params.collective = IorCollective::transfer;
  params.segments = 1 << 20;
  CHECK_THAT(ior_refused(params),
             ContainsSubstring(
                 "makes 2 collectives in each of 1048576 segments (segments); a phase may have at most 1048576"));
  params = small_ior();
  params.block_size = Bytes{std::uint64_t{1} << 40};
  params.transfer_size = 1_MiB;
  params.segments = 1 << 20;
  CHECK_THAT(ior_refused(params), ContainsSubstring("workload.segments is 1048576"));
}
