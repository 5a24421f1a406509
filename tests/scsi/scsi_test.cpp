// SPDX-License-Identifier: MIT
#include "tests/scsi/machine.h"

#include <algorithm>
#include <cstring>

#include "models/core/error.h"
#include "models/core/random.h"
#include "models/kernel/sc_time_bridge.h"
#include "tests/support/catch.h"
#include "tests/support/simulation.h"
#include "tests/support/statistics.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using namespace sunstar::literals;
using scsi::Command;
using test::DataCommand;
using test::ScsiMachine;
using test::Simulation;

namespace {

Time at(Duration d) { return Time{d}; }

std::vector<std::byte> pattern(std::size_t n, unsigned seed) {
  std::vector<std::byte> bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::byte>(mix64(seed * 1000003u + i));
  return bytes;
}

}  // namespace

TEST_CASE("ids 7 to 0 win over 15 to 8, and the initiator has 7") {
  CHECK(scsi::scsi_id(0) == 7);
  CHECK(scsi::scsi_id(1) == 0);
  CHECK(scsi::scsi_id(7) == 6);
  CHECK(scsi::scsi_id(8) == 8);
  CHECK(scsi::arbitration_rank(7) < scsi::arbitration_rank(6));
  CHECK(scsi::arbitration_rank(0) < scsi::arbitration_rank(15));
  CHECK(scsi::arbitration_rank(15) < scsi::arbitration_rank(8));
  CHECK(scsi::arbitration_rank(8) < scsi::arbitration_rank(23));
}

TEST_CASE("by SCSI id the highest id is served first, by fairness the one that has waited longest") {
  for (auto [policy, order] : {std::pair{scsi::Arbitration::scsi_id, std::vector<std::uint32_t>{0, 3, 1}},
                               std::pair{scsi::Arbitration::fair, std::vector<std::uint32_t>{1, 3, 0}}}) {
    scsi::Arbiter arbiter(policy);
    arbiter.request(1, at(1_us));
    arbiter.request(0, at(3_us));
    arbiter.request(3, at(2_us));
    for (auto device : order) CHECK(arbiter.grant() == device);
    CHECK(arbiter.empty());
  }
}

TEST_CASE("an impossible bus is refused, with a sentence for each fault") {
  scsi::BusParams p;
  CHECK_NOTHROW(validated(p, "bus"));
  p.data_rate = {0};
  p.command_bytes = 17;
  p.selection = -1_ns;
  CHECK_THROWS_WITH(validated(p, "bus"),
                    "bus.data_rate must be positive.\n"
                    "bus.command_bytes is 17; a SCSI command has 6 to 16 bytes.\n"
                    "bus.selection is negative.");
}

TEST_CASE("a bus without targets is refused") {
  Simulation simulation;
  Timetable timetable("timetable");
  CHECK_THROWS_AS(scsi::Bus("bus", scsi::BusParams{}, 0, timetable), ConfigError);
}

// Both drives start at cylinder 1, head 0, and angle 0. With 72 slots a revolution of R = 14992503748 ps a slot is
// 208229218.7 ps. Both read 16 sectors (8192 B, 819.2 us on the bus); block 0 is on track 1:4.
// Angle of block 0: offset of track 1:4 is 1 * (18 * 8 + 18) + 4 * 8 = 194 = 50 slots mod 72.
// Block 1000000 = track 13888 sector 64 of the data tracks; region 2 starts with track 12255: 654 * 19 + 1633 = 14059,
// cylinder 739, head 18. Its offset is 739 * 162 + 18 * 8 = 119862 = 54 mod 72; the sector is at slot 118 = 46 mod 72.
//
//   0.0 us      both commands submitted; arbitration 2.4, selection 2.0 + 0.5 identify, command 10 * 0.5
//   9.9         disk 0 has its command; it decodes for 2200 us and disconnects: 2 * 0.5
//   10.9        bus free for 1.2
//   12.1        second connection, likewise: disk 1 has its command at 22.0
//   2209.9      disk 0 decoded: head switch 0 -> 4 until 3809.9 (angle 18.3 slots); block 0 starts at slot 50:
//   10411.461 us;
//               16 sectors later, at slot 66, 13743.129 us, the whole request is in its buffer: it arbitrates
//   2222.0      disk 1 decoded: seek over 738 cylinders, 8000 + 738 * 8 = 13904 us, until 16126.0 us
//   13743.129   disk 0: arbitration 2.4, reselection 2.5, data 819.2, status 1.0: complete at 14568.229 us
//   16126.0     disk 1 has arrived (1133.496 us past the index mark): slot 46 passes R * 46 / 72 = 9578.544 us after
//   it, at
//               14992.504 + 9578.544 = 24571.048 us; 16 sectors (the cylinder ends after 8, so 18 slots of skew more):
//               + 34 slots = 7079.793 us: 31650.841 us; then 2.4 + 2.5 + 819.2 + 1.0
TEST_CASE("of two disks on a bus, one seeks while the other transfers") {
  Simulation simulation;
  ScsiMachine m({}, {{}, {}}, {{0, 1}, {0, 1}});
  std::vector<std::byte> a(8192), b(8192);
  const auto on_a = pattern(8192, 1), on_b = pattern(8192, 2);
  m.disks[0]->medium().write(0, content::Content(on_a));
  m.disks[1]->medium().write(1000000 * 512, content::Content(on_b));
  DataCommand first{{.target = 0, .lbn = 0, .sectors = 16}, a.data()};
  DataCommand second{{.target = 1, .lbn = 1000000, .sectors = 16}, b.data()};
  m.initiator.submit(first);
  m.initiator.submit(second);
  simulation.run([&] { return m.completed.size() == 2; });

  const Duration R{14992503748};
  const Duration slot50 = R * 50 / 72, slots16 = R * 16 / 72;
  CHECK(first.timing.received == at(9900_ns));
  CHECK(first.timing.seek == 1600_us);
  CHECK(first.timing.rotation == slot50 - 3809900_ns);
  REQUIRE(m.crossings.size() == 2);
  CHECK(m.crossings[0].target == 0);
  CHECK(m.crossings[0].start == at(slot50 + slots16 + 4900_ns));
  CHECK(first.completed == at(slot50 + slots16 + 4900_ns + 819200_ns + 1000_ns));
  CHECK(seconds(first.completed) == Approx(14568.229e-6).margin(1e-9));

  CHECK(second.timing.received == at(22_us));
  CHECK(second.timing.seek == 13904_us);
  CHECK(m.crossings[0].start < at(22_us + 2200_us + 13904_us));  // disk 0 transfers while disk 1 seeks
  CHECK(second.completed == at(R + R * 46 / 72 + R * 34 / 72 + 4900_ns + 819200_ns + 1000_ns));
  CHECK(a == on_a);
  CHECK(b == on_b);
}

TEST_CASE("a write that is reported at once completes before it is on the medium, and is read back") {
  Simulation simulation;
  ScsiMachine m({}, {{}});
  auto out = pattern(8192, 3);
  std::vector<std::byte> in(8192);
  DataCommand write{{.target = 0, .write = true, .lbn = 5000, .sectors = 16}, out.data()};
  DataCommand read{{.target = 0, .lbn = 5000, .sectors = 16}, in.data()};
  m.initiator.submit(write);
  m.initiator.submit(read);  // waits in the initiator
  simulation.run([&] { return m.completed.size() == 2; });
  // 9.9 us until the command is there, 2200 decoding (disconnected), back in 4.9, data 819.2, status 1.0
  CHECK(write.completed == at(9900_ns + 2200_us + 4900_ns + 819200_ns + 1_us));
  CHECK(write.timing.on_medium > write.completed);
  CHECK(read.completed > write.timing.on_medium);
  CHECK(in == out);
}

TEST_CASE("synchronising moves no data and completes when the write before it is on the medium") {
  Simulation simulation;
  ScsiMachine m({}, {{}});
  auto out = pattern(8192, 3);
  DataCommand write{{.target = 0, .write = true, .lbn = 5000, .sectors = 16}, out.data()};
  DataCommand synchronise{{.target = 0, .synchronise = true}};
  m.initiator.submit(write);
  m.initiator.submit(synchronise);
  simulation.run([&] { return m.completed.size() == 2; });
  // The drive disconnects and comes back for the status: 4.9 us for the way back, 1.0 for the status.
  CHECK(synchronise.completed == write.timing.on_medium + 4900_ns + 1_us);
  CHECK(synchronise.timing.on_medium == write.timing.on_medium);
  CHECK(m.crossings.size() == 1);
}

TEST_CASE("a read longer than the read fence crosses the bus in bursts") {
  Simulation simulation;
  ScsiMachine m({}, {{}});
  std::vector<std::byte> in(400 * 512);  // longer than the buffer, too
  const auto on_disk = pattern(in.size(), 4);
  m.disks[0]->medium().write(77 * 512, content::Content(on_disk));
  DataCommand read{{.target = 0, .lbn = 77, .sectors = 400}, in.data()};
  m.initiator.submit(read);
  simulation.run([&] { return m.completed.size() == 1; });
  REQUIRE(m.crossings.size() == 4);
  for (int i = 0; i < 4; ++i) {
    CHECK(m.crossings[i].offset == i * 65536u);
    CHECK(m.crossings[i].bytes == (i < 3 ? 65536u : 16 * 512u));
  }
  CHECK(in == on_disk);
}

TEST_CASE("a command beyond the end of the drive fails in a sentence and the next one works") {
  Simulation simulation;
  ScsiMachine m({}, {{}});
  std::vector<std::byte> bytes(1024);
  DataCommand bad{{.target = 0, .lbn = 2647079, .sectors = 2}, bytes.data()};
  DataCommand good{{.target = 0, .lbn = 2647078, .sectors = 2}, bytes.data()};
  DataCommand odd{{.target = 0, .lbn = 0, .sectors = 1, .sector_size = 1024}, bytes.data()};
  m.initiator.submit(bad);
  m.initiator.submit(good);
  m.initiator.submit(odd);
  simulation.run([&] { return m.completed.size() == 1; });
  REQUIRE(m.failures.size() == 2);
  CHECK(m.failures[0] == "Blocks 2647079 + 2 are not on disk0, which has 2647080.");
  CHECK(m.failures[1] == "Sectors of disk0 have 512 bytes.");
}

TEST_CASE("data written in any order to several drives is read back, and the bus carries exactly the requested bytes") {
  Simulation simulation;
  ScsiMachine m({}, {{}, {}, {}});
  RandomStream random(1, "test");
  constexpr int n = 300;
  std::vector<std::vector<std::byte>> reference(3, std::vector<std::byte>(512 * 4096));
  struct Work {
    DataCommand command;
    std::vector<std::byte> data;
    std::vector<std::byte> expected;
  };
  std::vector<Work> work(n);
  std::uint64_t bytes = 0;
  for (int i = 0; i < n; ++i) {
    auto& w = work[i];
    const auto target = static_cast<std::uint32_t>(random.below(3));
    const std::uint64_t lbn = random.below(4000);
    const auto sectors = static_cast<std::uint32_t>(1 + random.below(96));
    const bool write = random.below(2) == 0;
    w.data = write ? pattern(sectors * 512, i) : std::vector<std::byte>(sectors * 512);
    w.command = {{.target = target, .write = write, .lbn = lbn, .sectors = sectors}, w.data.data()};
    auto* place = reference[target].data() + lbn * 512;
    if (write) std::memcpy(place, w.data.data(), w.data.size());
    else w.expected.assign(place, place + w.data.size());
    bytes += w.data.size();
  }
  StatisticSet statistics;
  m.bus.register_statistics(statistics);
  for (auto& w : work) m.initiator.submit(w.command);
  simulation.run([&] { return m.completed.size() == n && m.initiator.pending() == 0; });
  for (auto& w : work)
    if (!w.command.write) REQUIRE(w.data == w.expected);
  for (int d = 0; d < 3; ++d) {
    content::Content all;
    m.disks[d]->medium().read(0, static_cast<std::uint32_t>(reference[d].size()), all);
    CHECK_FALSE(first_difference(all, content::Content(reference[d])));
  }
  std::uint64_t crossed = 0;
  for (auto& c : m.crossings) crossed += c.bytes;
  CHECK(crossed == bytes);
  for (std::size_t i = 1; i < m.crossings.size(); ++i)  // one owner at a time
    REQUIRE(m.crossings[i].start >=
            m.crossings[i - 1].start + m.bus.params().data_rate.time_for(m.crossings[i - 1].bytes));
  CHECK(test::value_of(statistics, "bus.data_bytes") == static_cast<double>(bytes));
  CHECK(test::value_of(statistics, "bus.data_time") == Approx(static_cast<double>(bytes) / 10e6));
}

TEST_CASE("tracing does not change a machine's times, and phases, owner and cylinders are in the file") {
  Simulation simulation;
  const std::vector<disk::DriveStart> starts{{0.25, 100}, {0.75, 900}};
  ScsiMachine plain({}, {{}, {}}, starts, "plain_"), traced({}, {{}, {}}, starts, "traced_");
  const test::TemporaryFolder folder;
  WaveFile waves(folder.path / "w.vcd");
  traced.bus.probe({.waves = &waves});
  for (auto& d : traced.disks) d->probe({.waves = &waves});
  RandomStream random(11, "work");
  std::vector<std::byte> data(64 * 512);
  std::vector<DataCommand> commands(100), again(100);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    commands[i] = again[i] = DataCommand{{.target = static_cast<std::uint32_t>(random.below(2)),
                                          .write = random.below(3) == 0,
                                          .lbn = random.below(2) ? random.below(2000) : random.below(2600000),
                                          .sectors = static_cast<std::uint32_t>(1 + random.below(64))},
                                         data.data()};
    plain.initiator.submit(commands[i]);
    traced.initiator.submit(again[i]);
  }
  simulation.run([&] { return plain.completed.size() == 100 && traced.completed.size() == 100; });
  waves.close();
  for (std::size_t i = 0; i < commands.size(); ++i) REQUIRE(commands[i].completed == again[i].completed);
  const std::string text = test::TemporaryFolder::read(folder.path / "w.vcd");
  for (const char* name : {"traced_bus.phase", "traced_bus.owner", "traced_disk1.phase", "traced_disk1.cylinder"}) {
    CAPTURE(name);
    const std::string last = std::string(name).substr(std::string(name).find('.') + 1);
    CHECK(text.find(" " + last + " ") != std::string::npos);
  }
  CHECK(std::count(text.begin(), text.end(), '#') > 800);  // at least 200 connections of four phases
}
