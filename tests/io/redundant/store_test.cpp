// SPDX-License-Identifier: MIT
// Redundant stores at one I/O processor: bytes, times and parity, with drives that fail before, during and after.
#include "sw/io/store/redundant/store.h"

#include <cstring>
#include <optional>

#include "models/core/content/content.h"
#include "models/core/error.h"
#include "models/core/random.h"
#include "sw/io/nodes.h"
#include "sw/io/store/redundant/rows.h"
#include "sw/io/volume.h"
#include "tests/support/catch.h"
#include "tests/support/endpoints.h"
#include "tests/support/fake_store.h"

using namespace sunstar;
using namespace sunstar::literals;
using Catch::Matchers::ContainsSubstring;
using test::at_ns;
namespace redundant = io::redundant;

namespace {

constexpr std::uint32_t sectors = 16;  // of a request

/// One I/O processor with a store over drives of 640 sectors, in stripe units of 8.
struct Rig {
  template <class Params>
  Rig(Params params, std::uint32_t disks, const os::Costs& costs = test::free_of_charge(),
      const std::string& queue_order = "first-come-first-served")
      : endpoints(machine, costs) {
    params.stripe_unit = {8 * 512};
    store = redundant::make(params, test::add_disks(machine, 0, 1, disks, 640));
    nodes.add_io(endpoints[0], *store, queue_order);
  }
  test::FakeDisk& disk(std::size_t d) { return machine[0].disk(d); }
  std::byte* memory(std::uint32_t n) { return endpoints.os(0).node().allocate(n * 512); }
  /// Transfers from `sector` of a unit on, at the same time as others that were begun.
  void begin(std::uint32_t unit, std::uint64_t sector, bool write, std::byte* data, std::uint32_t n = sectors) {
    auto& r = requests.emplace_back(endpoints.os(0));
    r.unit = unit;
    r.write = write;
    r.sector = sector;
    r.sectors = n;
    r.data = {data};
    endpoints.os(0).spawn(wait(r), "test");
  }
  os::Task<> wait(io::AwaitedRequest& request) {
    status = co_await request.carry_out(nodes.io[0].store);
    ended = endpoints.os(0).now();
  }
  void run() {
    began = machine.timeline.now();
    machine.timeline.run();
  }
  /// Writes sectors of a unit with what belongs there.
  void write(std::uint32_t unit, std::uint64_t sector) {
    std::byte* const data = memory(sectors);
    content::fill(unit, 1, sector * 512, std::span(data, sectors * 512));
    begin(unit, sector, true, data);
  }
  /// Whether these sectors are read as what belongs there.
  bool reads(std::uint32_t unit, std::uint64_t sector) {
    std::byte* const data = memory(sectors);
    std::memset(data, 0x5a, sectors * 512);
    begin(unit, sector, false, data);
    run();
    return content::matches(unit, 1, sector * 512, std::span<const std::byte>(data, sectors * 512));
  }

  std::uint64_t value(const NamedFigures& figures, const std::string& name) const {
    for (const auto& entry : figures.entries())
      if (entry.name == name) return std::get<std::uint64_t>(entry.value);
    FAIL(name);
    return 0;
  }
  std::uint64_t figure(const std::string& name) const {
    NamedFigures sections;
    store->add_figures(sections);
    return value(sections.section("store"), name);
  }
  std::uint64_t fault_figure(const std::string& name) const {
    NamedFigures faults;
    store->add_fault_figures(faults);
    return value(faults, name);
  }

  test::FakeMachine machine{1};
  test::Endpoints endpoints;
  std::unique_ptr<io::Store> store;
  io::Nodes nodes;
  std::deque<io::AwaitedRequest> requests;
  Time began{};
  std::optional<Time> ended;
  hal::Status status = hal::Status::ok;
};

/// Writes all over the units, in requests that run at the same time, breaks the drives `broken` meanwhile, and checks
/// the bytes read.
template <class Params>
void work(Params params, std::uint32_t disks, std::vector<std::uint32_t> broken) {
  INFO(Params::kind << ", " << broken.size() << " broken");
  Rig rig(params, disks);
  const std::uint32_t units = rig.nodes.io[0].store.units();
  for (std::uint32_t round = 0; round < 4; ++round) {
    for (std::uint32_t u = 0; u < units; ++u)
      for (std::uint64_t at : {0u, 20u, 36u}) rig.write(u, at + 64 * round);
    if (round == 2)
      for (std::uint32_t d : broken) rig.disk(d).broken = true;  // while commands are under way
    rig.run();
  }
  for (std::uint32_t u = 0; u < units; ++u)
    for (std::uint32_t round = 0; round < 4; ++round)
      for (std::uint64_t at : {0u, 20u, 36u}) {
        CHECK(rig.reads(u, at + 64 * round));
        content::Content raw;
        rig.store->raw(u).read(at + 64 * round, sectors * 512, raw);
        std::vector<std::byte> bytes(sectors * 512);
        raw.make_bytes(bytes.data());
        CHECK(content::matches(u, 1, (at + 64 * round) * 512, std::span<const std::byte>(bytes)));
      }
  CHECK(rig.store->fault() == std::nullopt);
  const auto synchronise = [&]() -> os::Task<> {
    CHECK(co_await rig.nodes.io[0].store.synchronise() == hal::Status::ok);
  };
  rig.endpoints.os(0).spawn(synchronise(), "test");
  rig.run();
}

}  // namespace

TEST_CASE("a store has the units that its header says, and they hold what the drives hold less the checks") {
  struct Expected {
    std::size_t units;
    std::uint64_t unit_sectors;
  };
  const auto units = [](auto params, std::uint32_t disks) {
    const Rig rig(params, disks);
    return Expected{rig.store->units().size(), rig.nodes.io[0].store.sectors(0)};
  };
  const auto check = [](Expected found, Expected expected) {
    CHECK(found.units == expected.units);
    CHECK(found.unit_sectors == expected.unit_sectors);
  };
  check(units(redundant::Mirror{}, 4), {2, 640});
  check(units(redundant::Raid4{}, 4), {3, 640});
  check(units(redundant::Raid5{}, 4), {4, 480});  // 80 units of each drive, 20 of them parity
  check(units(redundant::Raid6{}, 4), {4, 320});
  check(units(redundant::ParityDeclustered{}, 5), {5, 480});
}

TEST_CASE("every store keeps data and checks, also when drives fail while they are written") {
  for (std::uint32_t broken = 0; broken < 2; ++broken) {
    const std::vector<std::uint32_t> which(broken, 1);
    work(redundant::Mirror{}, 4, which);
    work(redundant::Raid4{}, 4, which);
    for (auto layout : {redundant::Rotation::left_symmetric, redundant::Rotation::right_asymmetric}) {
      redundant::Raid5 five;
      five.layout = layout;
      work(five, 5, which);
    }
    work(redundant::Raid6{}, 5, which);
    work(redundant::ParityDeclustered{}, 7, which);
  }
  work(redundant::Raid6{}, 5, {1, 2});
  work(redundant::Mirror{}, 4, {1, 2});  // of two pairs
}

TEST_CASE("a failed drive's data are read right while others write to its rows, in any order of the drives' work") {
  // Unit 0 lies on the drive that has failed, and is computed from the others. A drive may serve a read of a row before
  // a write of it, and another drive after it, since the two begin at different sectors.
  constexpr std::uint64_t all = 6 * sectors;
  for (const std::string& order : io::queue_order_names())
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      INFO(order << ", seed " << seed);
      redundant::Raid4 params;
      params.failed = {0};
      Rig rig(params, 4, test::free_of_charge(), order);
      for (std::uint64_t at = 0; at < all; at += sectors) rig.write(0, at);
      rig.run();
      const Time start = rig.endpoints.os(0).now();
      RandomStream random(seed, "rows");
      struct Read {
        std::uint64_t sector;
        std::span<const std::byte> data;
      };
      std::vector<Read> reads;
      for (int i = 0; i < 40; ++i) {
        const bool write = random.below(2);
        const auto unit = static_cast<std::uint32_t>(write ? 1 + random.below(2) : 0);
        const auto n = static_cast<std::uint32_t>(1 + random.below(8));
        const std::uint64_t sector = random.below(all - n);
        std::byte* const data = rig.memory(n);
        std::memset(data, i, n * 512);
        if (!write) reads.push_back({sector, {data, n * 512}});
        rig.machine.timeline.at(start + Duration{std::chrono::microseconds{random.below(20'000)}},
                                [&rig, unit, sector, write, data, n] { rig.begin(unit, sector, write, data, n); });
      }
      rig.run();
      for (const Read& read : reads) CHECK(content::matches(0, 1, read.sector * 512, read.data));
      CHECK(rig.store->fault() == std::nullopt);
    }
}

TEST_CASE("a small write takes two rounds of commands, and its row is kept from others meanwhile") {
  Rig rig(redundant::Raid5{}, 4);
  // Units 0 and 1 of row 0: both change the parity on drive 3. One after the other: 2 ms each.
  std::byte* const data = rig.memory(8);
  rig.begin(0, 0, true, data, 8);
  rig.run();
  CHECK(rig.ended == at_ns(2'000'000));
  rig.begin(0, 0, true, data, 8);
  rig.begin(1, 0, true, data, 8);
  rig.run();
  CHECK(rig.ended == rig.began + 4_ms);
  CHECK(rig.disk(3).log.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) CHECK(rig.disk(3).log[i].write == (i % 2 == 1));
}

TEST_CASE("writes that wait for a row are carried out together") {
  Rig rig(redundant::Raid5{}, 4);
  std::byte* const data = rig.memory(8);
  for (std::uint32_t unit = 0; unit < 3; ++unit) rig.begin(unit, 0, true, data, 8);
  rig.run();
  // The first changes the parity; the two others read the first's unit and make the parity anew: 2 ms each.
  CHECK(rig.ended == at_ns(4'000'000));
  CHECK(rig.figure("read_modify_writes") == 1);
  CHECK(rig.figure("reconstruct_writes") == 1);
  CHECK(rig.disk(3).log.size() == 3);
  CHECK(rig.disk(0).log.size() == 3);
  CHECK(rig.store->fault() == std::nullopt);
}

TEST_CASE("a write that ends wakes those that wait for any of its rows, also if its plan has fewer rows by then") {
  // The plan has one row while it corrects a unit of that row, and none if the data are lost.
  const auto write_of = [](std::uint64_t first_row, std::uint64_t last_row) {
    redundant::Job job;
    job.write = job.plan.locks = true;
    job.plan.first_row = first_row, job.plan.last_row = last_row;
    for (std::uint64_t row = first_row; row <= last_row; ++row) job.parts.push_back({{row, 0}, 0, sectors});
    return job;
  };
  redundant::Job first = write_of(1, 3), second = write_of(3, 3);
  redundant::Rows rows(false);
  REQUIRE(rows.take(first));
  rows.wait(second);
  REQUIRE(rows.next() == &second);
  CHECK_FALSE(rows.take(second));
  CHECK(rows.next() == nullptr);
  first.plan.last_row = 1;
  rows.leave(first);
  REQUIRE(rows.next() == &second);
  CHECK(rows.take(second));
}

TEST_CASE("writes that fill a row together read nothing, also when each is a part of its unit") {
  redundant::Raid5 params;
  params.plug = 1_ms;
  Rig rig(params, 4);
  std::byte* const data = rig.memory(24);
  for (std::uint32_t unit = 0; unit < 3; ++unit)
    for (std::uint64_t half : {4u, 0u}) {
      const std::uint32_t at = unit * 8 + static_cast<std::uint32_t>(half);
      content::fill(unit, 1, half * 512, std::span(data + at * 512, 4 * 512));
      rig.begin(unit, half, true, data + at * 512, 4);
    }
  rig.run();
  CHECK(rig.ended == at_ns(2'000'000));  // two commands to each disk with data, one to the parity's
  for (std::size_t d = 0; d < 4; ++d) {
    CHECK(rig.disk(d).log.size() == (d < 3 ? 2 : 1));
    for (const auto& entry : rig.disk(d).log) CHECK(entry.write);
  }
  CHECK(rig.store->fault() == std::nullopt);
  CHECK(rig.figure("full_row_writes") == 1);
}

TEST_CASE("with a plug, a write waits for the rest of its row, and no longer than the plug says") {
  redundant::Raid5 params;
  params.plug = 5_ms;
  Rig rig(params, 4);
  std::byte* const data = rig.memory(24);
  for (std::uint32_t unit = 0; unit < 3; ++unit)
    rig.machine.timeline.at(at_ns(unit * 1'000'000), [&, unit] { rig.begin(unit, 0, true, data, 8); });
  rig.run();
  CHECK(rig.ended == at_ns(3'000'000));  // the third fills it: one round of writes
  const Time start = rig.machine.timeline.now() + 10_ms;
  rig.machine.timeline.at(start, [&] { rig.begin(0, 0, true, data, 8); });
  rig.run();
  CHECK(rig.ended == start + 5_ms + 2_ms);
}

TEST_CASE("a sector that cannot be read is computed from the other drives and written again") {
  const auto mends = [](auto params, std::uint32_t disks, std::vector<std::uint32_t> bad) {
    INFO(params.kind);
    Rig rig(params, disks);
    for (std::uint32_t u = 0; u < rig.nodes.io[0].store.units(); ++u) rig.write(u, 0);
    rig.run();
    for (std::uint32_t d : bad) rig.disk(d).bad = {3, 4};
    for (std::uint32_t u = 0; u < rig.nodes.io[0].store.units(); ++u) CHECK(rig.reads(u, 0));
    CHECK(rig.status == hal::Status::ok);
    CHECK(rig.fault_figure("drives_failed") == 0);
    for (std::uint32_t d : bad) CHECK(rig.disk(d).bad.empty());
    CHECK(rig.fault_figure("corrections") == bad.size());
    CHECK(rig.store->fault() == std::nullopt);
  };
  redundant::Mirror first;
  first.read_copy = redundant::ReadCopy::primary;
  mends(first, 4, {0});
  mends(redundant::Raid4{}, 4, {1});
  mends(redundant::Raid5{}, 4, {1});
  mends(redundant::Raid6{}, 5, {1});
  mends(redundant::Raid6{}, 5, {1, 2});  // both in one row
}

TEST_CASE("a write that must read a bad sector mends it first") {
  for (std::uint32_t bad : {0u, 3u}) {  // the data, and the parity of row 0
    Rig rig(redundant::Raid5{}, 4);
    for (std::uint32_t u = 0; u < 4; ++u) rig.write(u, 0);
    rig.run();
    rig.disk(bad).bad = {7};
    rig.write(0, 0);
    rig.run();
    CHECK(rig.status == hal::Status::ok);
    CHECK(rig.store->fault() == std::nullopt);
    CHECK(rig.reads(0, 0));
    CHECK(rig.fault_figure("corrections") == 1);
  }
}

TEST_CASE("a drive with too many corrections has failed, and a sector beyond the redundancy is an error") {
  redundant::Raid5 params;
  params.corrections = 1;
  Rig rig(params, 4);
  for (std::uint64_t at : {0u, 64u, 128u}) rig.write(0, at);
  rig.run();
  rig.disk(0).bad = {0};
  CHECK(rig.reads(0, 0));
  CHECK(rig.fault_figure("drives_failed") == 0);
  rig.disk(0).bad = {0};
  CHECK(rig.reads(0, 0));
  CHECK(rig.fault_figure("drives_failed") == 1);
  rig.disk(1).bad = {0};
  rig.begin(0, 0, false, rig.memory(8), 8);
  rig.run();
  CHECK(rig.status == hal::Status::medium_error);
  CHECK(rig.reads(0, 64));  // nothing else is lost
}

TEST_CASE("a spare is rebuilt among requests, and then another drive may fail") {
  const auto rebuilds = [](auto params, std::uint32_t disks) {
    INFO(params.kind);
    params.spares = 1;
    Rig rig(params, disks + 1);
    const std::uint32_t units = rig.nodes.io[0].store.units();
    for (std::uint32_t round = 0; round < 4; ++round) {
      for (std::uint32_t u = 0; u < units; ++u)
        for (std::uint64_t at : {0u, 20u, 36u}) rig.write(u, at + 64 * round);
      if (round == 1) rig.disk(1).broken = true;
      if (round == 1) rig.machine.timeline.run(rig.endpoints.os(0).now() + 3_ms);
      else rig.run();
    }
    CHECK(rig.fault_figure("rebuilds_complete") == 1);
    CHECK(rig.store->fault() == std::nullopt);
    rig.disk(0).broken = true;
    for (std::uint32_t u = 0; u < units; ++u)
      for (std::uint32_t round = 0; round < 4; ++round)
        for (std::uint64_t at : {0u, 20u, 36u}) CHECK(rig.reads(u, at + 64 * round));
    CHECK(rig.fault_figure("drives_failed") == 2);
  };
  rebuilds(redundant::Mirror{}, 4);
  rebuilds(redundant::Raid4{}, 4);
  rebuilds(redundant::Raid5{}, 5);
  rebuilds(redundant::Raid6{}, 5);
  rebuilds(redundant::ParityDeclustered{}, 7);
}

TEST_CASE("a rebuild reads all other drives and writes the spare, a row after the other") {
  redundant::Raid5 params;
  params.spares = 1;
  params.failed = {1};
  Rig rig(params, 5);
  rig.run();
  CHECK(rig.disk(1).log.empty());
  CHECK(rig.disk(4).log.size() == 80);  // 640 sectors in units of 8
  for (std::size_t d : {0u, 2u, 3u}) CHECK(rig.disk(d).log.size() == 80);
  CHECK(rig.fault_figure("rows_rebuilt") == 80);
}

TEST_CASE("a throttled rebuild has its least rate always and never more than the most") {
  const auto ends = [](Bandwidth least, Bandwidth most, bool busy) {
    const Time start{};
    redundant::Throttle throttle(least, most, start);
    Time at = start;
    for (std::uint64_t bytes = 0; bytes < 10'000'000; bytes += 50'000) {
      while (throttle.holds(at, bytes, !busy)) at += redundant::Throttle::pause;
      at += 10_ms;  // 5 MB/s, unless it is held back
    }
    return seconds(at - start);
  };
  CHECK(ends(1_MBps, 100_MBps, false) == Approx(2.0));
  CHECK(ends(100_MBps, 100_MBps, true) == Approx(2.0));
  CHECK(ends(1_MBps, 100_MBps, true) == Approx(9.0).epsilon(0.05));  // a second is not counted
  CHECK(ends(1_MBps, 2_MBps, false) == Approx(4.0).epsilon(0.1));
}

TEST_CASE("the processor computes parity at a cost") {
  auto costs = test::free_of_charge();
  costs.parity_per_byte = Cycles{1};
  costs.array_step = Cycles{100};
  Rig rig(redundant::Raid5{}, 4, costs);
  rig.begin(0, 0, true, rig.memory(8), 8);
  rig.run();
  // Old parity, old data and new data of 4096 bytes, a cycle of 1 ns for each.
  CHECK(rig.ended == at_ns(2'000'000 + 5 * 100 + 3 * 4096));
}

TEST_CASE("failures beyond the redundancy end a request with an error") {
  Rig rig(redundant::Raid5{}, 4);
  rig.write(0, 0);
  rig.run();
  rig.disk(0).broken = rig.disk(1).broken = true;
  rig.begin(0, 0, false, rig.memory(8), 8);
  rig.run();
  CHECK(rig.status != hal::Status::ok);
}

TEST_CASE("parity that is wrong on the medium is found, and so is a copy") {
  Rig five(redundant::Raid5{}, 4);
  five.write(0, 0);
  five.run();
  CHECK(five.store->fault() == std::nullopt);
  five.disk(3).bytes[3 * 512 + 5] ^= std::byte{1};  // row 0 has its parity on drive 3
  CHECK(five.store->fault() == "sector 3 of node0_disk3 is not the parity of its row");
  Rig mirror(redundant::Mirror{}, 2);
  mirror.write(0, 0);
  mirror.run();
  mirror.disk(1).bytes[0] ^= std::byte{1};
  CHECK(mirror.store->fault() == "sector 0 of node0_disk1 is no copy of its data");
}

TEST_CASE("a store that cannot be, or cannot be rebuilt, is refused in a sentence") {
  const auto refused = [](auto params, std::uint32_t disks, const std::string& sentence) {
    CHECK_THROWS_WITH(Rig(params, disks), ContainsSubstring(sentence));
  };
  refused(redundant::Mirror{}, 3, "mirror, which needs a multiple of 2 drives at each I/O processor; one has 3");
  refused(redundant::Raid4{}, 2, "needs at least 3 drives");
  refused(redundant::Raid5{}, 2, "raid5, which needs 3 to 256 drives at each I/O processor; one has 2");
  refused(redundant::Raid6{}, 3, "needs 4 to 256 drives");
  refused(redundant::ParityDeclustered{}, 3, "for a group of 4");
  redundant::Raid5 failed;
  failed.failed = {4};
  refused(failed, 4, "file_system.store.failed has 4; the last drive of an I/O processor's array is 3.");
  failed.failed = {0, 1};
  refused(failed, 4, "more drives than the store can do without");
  redundant::Raid5 slow;
  slow.spares = 1;
  slow.finish_rebuild = true;
  slow.rebuild_least = slow.rebuild_most = {1};
  refused(slow, 4, "file_system.store.rebuild_most is too low for finish_rebuild");
}

namespace {

/// A rig with a full first row, where some disks have lost the contents of their buffers, and say so.
template <class Params>
struct PowerRig : Rig {
  PowerRig(Params params, std::uint32_t disks, const std::vector<std::uint32_t>& lost) : Rig(params, disks) {
    for (std::uint32_t u = 0; u < store->units().size(); ++u) write(u, 0);
    run();
    for (std::uint32_t d : lost) {
      std::ranges::fill(disk(d).bytes, std::byte{});
      disk(d).lost_power = true;
    }
  }
  std::vector<io::LostWrite> take_lost_writes() {
    return test::lost_writes(endpoints.os(0), machine, nodes.io[0].store);
  }
  hal::Status synchronise() {
    hal::Status how{};
    const auto task = [&]() -> os::Task<> { how = co_await nodes.io[0].store.synchronise(); };
    endpoints.os(0).spawn(task(), "test");
    run();
    return how;
  }
};

std::uint64_t sectors_of(const std::vector<io::LostWrite>& lost) {
  std::uint64_t sum = 0;
  for (const auto& l : lost) sum += l.sectors;
  return sum;
}

/// Changes a byte of a sector of a disk.
void spoil(Rig& rig, std::uint32_t disk, std::uint64_t sector) { rig.disk(disk).bytes[sector * 512] ^= std::byte{1}; }

}  // namespace

TEST_CASE("data that drives may have lost with their power are made anew from the others, without a report") {
  const auto mends = [](auto params, std::uint32_t disks, const std::vector<std::uint32_t>& lost, bool read_first) {
    INFO(params.kind << ", " << read_first);
    PowerRig rig(params, disks, lost);
    if (read_first)
      for (std::uint32_t u = 0; u < rig.store->units().size(); ++u) CHECK(rig.reads(u, 0));
    CHECK(rig.synchronise() == hal::Status::ok);
    CHECK(rig.take_lost_writes().empty());
    CHECK(rig.fault_figure("units_doubted") >= lost.size());
    CHECK(rig.fault_figure("units_given_up") == 0);
    CHECK(rig.fault_figure("drives_failed") == 0);
    CHECK(rig.store->fault() == std::nullopt);
    for (std::uint32_t u = 0; u < rig.store->units().size(); ++u) CHECK(rig.reads(u, 0));
  };
  for (bool read_first : {false, true}) {
    mends(redundant::Raid5{}, 4, {1}, read_first);
    mends(redundant::Raid4{}, 4, {3}, read_first);
    mends(redundant::Mirror{}, 2, {0}, read_first);
    mends(redundant::Raid6{}, 5, {1, 2}, read_first);
  }
}

TEST_CASE(
    "where too many drives lose power, the synchronisation says what may be lost, and parity fits what is there") {
  PowerRig rig(redundant::Raid5{}, 4, {0, 1});
  CHECK(rig.synchronise() == hal::Status::not_ready);
  // Two stripe units of each drive were written: both drives have data in rows 0 and 1, and drive 1 the parity of row
  // 2, which can be made anew.
  CHECK(rig.fault_figure("units_doubted") == 5);
  CHECK(rig.fault_figure("units_given_up") == 4);
  CHECK(sectors_of(rig.take_lost_writes()) == 4 * 8);
  CHECK(rig.store->fault() == std::nullopt);
  CHECK(rig.synchronise() == hal::Status::ok);
  for (std::uint32_t u : {2u, 3u}) CHECK(rig.reads(u, 0));
}

TEST_CASE("a scrub mends sectors that cannot be read, and says which rows do not fit") {
  struct Found {
    std::uint64_t rows, mismatched, undecided, corrections;
    std::optional<std::string> fault;
    std::byte first;
  };
  const auto scrub = [](auto params, std::uint32_t disks, auto prepare) {
    params.scrub_period = 1000_ms;
    Rig rig(params, disks);
    for (std::uint32_t u = 0; u < rig.store->units().size(); ++u) rig.write(u, 0);
    rig.machine.timeline.run(at_ns(900'000'000));
    const std::byte first = rig.disk(0).bytes[0];
    prepare(rig);
    rig.machine.timeline.run(at_ns(1'900'000'000));
    return Found{rig.figure("rows_scrubbed"),
                 rig.figure("rows_mismatched"),
                 rig.figure("mismatches_undecided"),
                 rig.fault_figure("corrections"),
                 rig.store->fault(),
                 rig.disk(0).bytes[0] ^ first};
  };
  const auto data_wrong = [](Rig& rig) { spoil(rig, 0, 0); };
  {
    const Found bad = scrub(redundant::Raid5{}, 4, [](Rig& rig) { rig.disk(1).bad = {3}; });
    CHECK(bad.rows == 80);  // of 8 sectors on drives of 640
    CHECK(bad.corrections == 1);
    CHECK(bad.mismatched == 0);
  }
  {  // parity and data do not fit: it is unknown which is wrong
    const Found found = scrub(redundant::Raid5{}, 4, data_wrong);
    CHECK(found.mismatched == 1);
    CHECK(found.undecided == 1);
    CHECK(found.fault);
    redundant::Raid5 repairs;
    repairs.scrub_repairs = true;
    const Found repaired = scrub(repairs, 4, data_wrong);
    CHECK(repaired.undecided == 1);
    CHECK(repaired.fault == std::nullopt);
    CHECK(repaired.first == std::byte{1});  // parity fits wrong data now
    redundant::Mirror copies;
    CHECK(scrub(copies, 2, data_wrong).undecided == 1);
  }
  for (std::uint32_t disk = 0; disk < 5; ++disk) {  // with two checks, whichever one is wrong is found
    const Found found = scrub(redundant::Raid6{}, 5, [&](Rig& rig) { spoil(rig, disk, 0); });
    CHECK(found.mismatched == 1);
    CHECK(found.undecided == 0);
    CHECK(found.fault == std::nullopt);
    CHECK(found.first == std::byte{});
    CHECK(found.corrections == 0);
  }
  const Found two = scrub(redundant::Raid6{}, 5, [](Rig& rig) { spoil(rig, 0, 0), spoil(rig, 1, 1); });
  CHECK(two.undecided == 1);
  CHECK(two.fault);
}

TEST_CASE("the write hole: a row whose update was cut short yields wrong data of others once a drive fails") {
  const auto content_after = [](bool scrubbed) {
    // Unit 0 of row 0 is written; its I/O processor stops when the data are on their drive and parity is not.
    Rig before(redundant::Raid5{}, 4);
    for (std::uint32_t u = 0; u < 3; ++u) before.write(u, 0);
    before.run();
    std::byte* const data = before.memory(8);
    std::memset(data, 0x33, 8 * 512);
    before.disk(3).broken = true;  // nothing gets to parity any more
    before.begin(0, 0, true, data, 8);
    before.run();
    // It starts again on the same drives. Nothing on them says that the row was being changed.
    redundant::Raid5 params;
    if (scrubbed) params.scrub_period = 1000_ms, params.scrub_repairs = true;
    Rig after(params, 4);
    for (std::uint32_t d = 0; d < 4; ++d) after.disk(d).bytes = before.disk(d).bytes;
    CHECK(after.store->fault() == "sector 0 of node0_disk3 is not the parity of its row");
    after.machine.timeline.run(at_ns(1'900'000'000));
    // Drive 1 fails: unit 1, not written since, is computed of new data and old parity.
    after.disk(1).broken = true;
    std::byte* const read = after.memory(sectors);
    after.begin(1, 0, false, read);
    after.machine.timeline.run(at_ns(1'950'000'000));
    CHECK(after.status == hal::Status::ok);
    return !content::matches(1, 1, 0, std::span<const std::byte>(read, 8 * 512));
  };
  CHECK(content_after(false));       // wrong, without a report
  CHECK_FALSE(content_after(true));  // a scrub before the failure had made the parity fit
}
