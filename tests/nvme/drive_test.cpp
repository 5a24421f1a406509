// SPDX-License-Identifier: MIT
#include "models/nvme/drive.h"

#include <algorithm>
#include <array>
#include <functional>

#include "models/core/error.h"
#include "models/core/random.h"
#include "models/nvme/device.h"
#include "tests/support/catch.h"
#include "tests/support/statistics.h"

using namespace sunstar;
using namespace sunstar::nvme;

namespace {

Time at(Duration d) { return Time{d}; }

/// Round figures: a link without framing worth counting, one die less than its pages need.
DriveParams simple() {
  DriveParams p;
  p.capacity = 1_MiB;
  p.queue_time = 2_us;
  p.command_time = 1_us;
  p.write_time = 0_us;
  p.latency = 10_us;
  p.dies = 4;
  p.channels = 2;
  p.page_size = 16_KiB;
  p.read_time = 50_us;
  p.read_tail = 0_us;
  p.channel_rate = Bandwidth{4096e6};  // 1 us for a codeword
  p.program_time = 400_us;
  p.program_size = 32_KiB;
  p.drain_size = 64_KiB;
  p.write_buffer = 128_KiB;
  p.collection = {1, 1_MiB, 0_us};
  return p;
}

struct Counted {
  explicit Counted(const DriveParams& params) : drive(params, 1, "drive") { drive.register_statistics(set, "d"); }
  double value(const std::string& name) const { return test::value_of(set, "d." + name); }
  Drive drive;
  StatisticSet set;
};

Duration link_time(const DriveParams& p, std::uint64_t bytes) { return p.link.data_rate().time_for(bytes); }

/// The time of a read of `bytes` when nothing else goes on.
Duration alone(const DriveParams& p, std::uint64_t bytes) {
  const std::uint64_t page = std::min(bytes, p.page_size.count);
  return p.queue_time + link_time(p, 64) + p.command_time + p.read_time +
         p.channel_rate.time_for(std::max(page, p.codeword.count)) + link_time(p, bytes) + link_time(p, 16) + p.latency;
}

}  // namespace

TEST_CASE("a link of eight lanes carries twice what one of four does, and small packets carry less") {
  // 8 GT/s * 128/130 / 8 = 984.6 MB/s a lane; 256 of 280 bytes are data.
  LinkParams link{3, 4, 256_B};
  CHECK(link.data_rate().bytes_per_second == Approx(4 * 8e9 / 8 * 128 / 130 * 256 / 280));
  link.lanes = 8;
  CHECK(link.data_rate().bytes_per_second == Approx(8 * 8e9 / 8 * 128 / 130 * 256 / 280));
  link.payload = 64_B;
  CHECK(link.data_rate().bytes_per_second == Approx(8 * 8e9 / 8 * 128 / 130 * 64 / 88));
}

TEST_CASE("an NVMe read alone takes the sum of its stages") {
  Drive drive(simple(), 1, "drive");
  CHECK(drive.submit(at(0_us), {0, Operation::read, 0, 8}) == at(alone(simple(), 4096)));
  // 512 bytes cross the channel as a codeword, and the link as they are.
  CHECK(drive.submit(at(1000_us), {0, Operation::read, 8, 1}) == at(1000_us + alone(simple(), 512)));
}

TEST_CASE("NVMe reads of one die wait for each other, those of two dies do not") {
  const DriveParams p = simple();
  Drive drive(p, 1, "drive");
  const std::uint32_t page = 32;  // sectors
  const Time first = drive.submit(at(0_us), {0, Operation::read, 0, 8});
  // In another queue, one command later in the controller, on the next die and the other channel.
  CHECK(drive.submit(at(0_us), {1, Operation::read, page, 8}) < first + 2_us);
  // Die 0 again: page 4 of 4 dies. Only the die's 50 us count, as its stages before overlap.
  CHECK(drive.submit(at(0_us), {2, Operation::read, 4 * page, 8}) == first + 50_us);
}

TEST_CASE("the commands of one NVMe queue are fetched one after another") {
  const DriveParams p = simple();
  Drive one(p, 1, "drive"), two(p, 1, "drive");
  one.submit(at(0_us), {0, Operation::read, 0, 1});
  two.submit(at(0_us), {0, Operation::read, 0, 1});
  const Time same = one.submit(at(0_us), {0, Operation::read, 32, 1}),
             other = two.submit(at(0_us), {1, Operation::read, 32, 1});
  CHECK(same - other == p.queue_time - p.command_time);  // the second of two queues waits for the controller alone
}

TEST_CASE("a read of several pages uses as many dies") {
  const DriveParams p = simple();
  Drive drive(p, 1, "drive");
  // Pages 0 and 1 on two channels, 4 us each; 32 KiB on the link.
  CHECK(drive.submit(at(0_us), {0, Operation::read, 0, 64}) == at(alone(p, 32 << 10)));
}

TEST_CASE("an NVMe write ends in the buffer, whose drain then keeps reads of its dies waiting") {
  const DriveParams p = simple();
  Drive drive(p, 1, "drive");
  const std::uint32_t sectors = 128;  // 64 KiB: the buffer drains to dies 0 and 1
  const Time written = drive.submit(at(0_us), {0, Operation::write, 0, sectors});
  const Duration here = p.queue_time + link_time(p, 64) + p.command_time + link_time(p, 64 << 10);
  CHECK(written == at(here + link_time(p, 16) + p.latency));
  CHECK(drive.idle_at() == at(here + p.channel_rate.time_for(32 << 10) + 400_us));
  // Page 8 is on die 0: it is read once the program has ended. Page 10 is on die 2, which is free.
  CHECK(drive.submit(at(200_us), {0, Operation::read, 8 * 32, 8}) > drive.idle_at() + 50_us);
  CHECK(drive.submit(at(200_us), {1, Operation::read, 10 * 32, 8}) < at(200_us + alone(p, 4096) + 2_us));
  // What is still in the buffer needs no die.
  CHECK(drive.submit(at(210_us), {2, Operation::read, 0, 8}) == at(210_us + alone(p, 4096) - 51_us));
}

TEST_CASE("an NVMe write waits when the buffer is full, and a flush for nothing, as what was reported is safe") {
  DriveParams p = simple();
  p.program_time = 10000_us;
  Drive drive(p, 1, "drive");
  const std::uint32_t sectors = 128;
  drive.submit(at(0_us), {0, Operation::write, 0, sectors});
  drive.submit(at(0_us), {0, Operation::write, 128, sectors});
  CHECK(drive.submit(at(0_us), {0, Operation::write, 256, sectors}) > at(10000_us));
  CHECK(drive.submit(at(0_us), {1, Operation::flush, 0, 0}) < at(30_us));
}

TEST_CASE("writes take the controller's time, and let a read pass after each codeword") {
  DriveParams p = simple();
  p.write_time = 5_us;
  p.drain_size = 128_KiB;
  Drive busy(p, 1, "drive"), idle(p, 1, "drive");
  busy.submit(at(0_us), {0, Operation::write, 0, 128});
  // 16 codewords, each 5 us and then 1 us for a command: a read waits for one codeword at most.
  const Duration waits = busy.submit(at(60_us), {1, Operation::read, 16 * 32, 1}) -
                         idle.submit(at(60_us), {1, Operation::read, 16 * 32, 1});
  CHECK(waits > 0_us);
  CHECK(waits <= 5_us);
}

TEST_CASE("caps hold reads and writes to their rates") {
  DriveParams p = simple();
  p.queue_time = 0_us;
  p.read_iops = 1000;
  p.write_bandwidth = Bandwidth{65.536e6};
  Drive drive(p, 1, "drive");
  Time read{}, write{};
  // The first two reads and 16 writes pass at once: what fits into a millisecond.
  for (std::uint64_t i = 0; i < 12; ++i) read = drive.submit(at(0_us), {0, Operation::read, 32 * i, 8});
  CHECK(read > at(10000_us));
  CHECK(read < at(10100_us));
  for (std::uint64_t i = 0; i < 33; ++i) write = drive.submit(at(0_us), {1, Operation::write, 8 * i, 8});
  CHECK(write > at(1000_us));  // 33 of 62.5 us each, less the millisecond
  CHECK(write < at(1100_us));
  p.iops = 16000;  // a write of a codeword and a read count the same
  p.read_iops = 0;
  p.write_bandwidth = {};
  Drive both(p, 1, "drive");
  for (std::uint64_t i = 0; i < 16; ++i) both.submit(at(0_us), {0, Operation::write, 8 * i, 8});
  CHECK(both.submit(at(0_us), {1, Operation::read, 0, 8}) < at(100_us));
  for (std::uint64_t i = 0; i < 16; ++i) read = both.submit(at(0_us), {1, Operation::read, 32 * i, 8});
  CHECK(read > at(1000_us));
}

TEST_CASE("writes at random places make background collection, sequential ones do not") {
  DriveParams p = simple();
  p.collection = {3, 256_KiB, 100_us};
  p.capacity = 8_MiB;
  const auto collected = [&](bool sequential) {
    Counted counted(p);
    for (std::uint64_t i = 0; i < 64; ++i)
      counted.drive.submit(at(1000_us * i), {0, Operation::write, (sequential ? i : i * 5 % 16) * 128, 128});
    CHECK(counted.value("erasures") > 0);
    return counted.value("collected");
  };
  CHECK(collected(true) == 0);
  CHECK(collected(false) >= 250);  // 64 writes of two programs, each with two more
}

TEST_CASE("a write is random only if it is shorter than the limit and does not continue its queue's last write") {
  DriveParams p = simple();
  p.collection = {3, 1_MiB, 0_us, 64_KiB};
  p.capacity = 8_MiB;
  const auto collected = [&](std::uint64_t distance, std::uint32_t sectors) {
    Counted counted(p);
    for (std::uint64_t i = 0; i < 5; ++i)
      counted.drive.submit(at(10'000_us * i), {0, Operation::write, i * distance, sectors});
    return counted.value("collected");
  };
  CHECK(collected(2048, 128) == 0);  // 64 KiB
  CHECK(collected(2048, 127) > 0);
  CHECK(collected(127, 127) == 0);
}

TEST_CASE("a full buffer drains all of its bytes, the last program in part") {
  const auto last_write = [](std::uint32_t kib) {
    Counted counted(simple());
    const auto write = [&](Duration when, std::uint64_t first, std::uint32_t size) {
      return counted.drive.submit(at(when), {0, Operation::write, first * 2, size * 2});
    };
    write(0_us, 0, 64);  // drains to dies 0 and 1 until after 400 us
    write(10_us, 64, 60);
    CHECK(counted.value("programs") == 2);
    // 4 KiB are free: these 16 make the 60 drain to dies 2 and 3, and wait for die 0.
    CHECK(write(100_us, 124, 16) > at(400_us));
    CHECK(counted.value("programs") == 4);
    return write(10'000_us, 140, kib);
  };
  // 16 KiB are left: 112 more fit, 113 do not.
  CHECK(last_write(112) < at(10'100_us));
  CHECK(last_write(113) > at(10'400_us));
}

TEST_CASE("all dies of an NVMe drive share in background collection") {
  DriveParams p = simple();
  p.collection = {3, 1_MiB, 0_us};
  p.capacity = 8_MiB;
  p.drain_size = 128_KiB;  // four programs at a time, one on each die
  Drive drive(p, 1, "drive");
  for (std::uint64_t i = 0; i < 2; ++i) drive.submit(at(0_us), {0, Operation::write, (1 - i) * 1024 + 128, 128});
  // Each die programs once and, for that, reads and programs twice more.
  CHECK(drive.idle_at() > at(3 * 400_us + 2 * 50_us));
  CHECK(drive.idle_at() < at(3 * 400_us + 2 * 50_us + 300_us));
}

TEST_CASE("an NVMe drive refuses parameters that contradict each other") {
  DriveParams p = simple();
  p.write_buffer = 32_KiB;
  CHECK_THROWS_AS(Drive(p, 1, "drive"), ConfigError);
  p = simple();
  p.page_size = Bytes{700};
  CHECK_THROWS_AS(Drive(p, 1, "drive"), ConfigError);
}

TEST_CASE("an NVMe device stores what is written and delivers it, and says what went wrong") {
  Device device(simple(), 1, "drive");
  const std::string text(4096, 'x');
  content::Content written(std::as_bytes(std::span(text.data(), text.size()))), read;
  const Command write{0, Operation::write, 8, 8}, again{0, Operation::read, 8, 8};
  const auto stored = device.submit(at(0_us), write);
  REQUIRE(stored);
  CHECK(stored->status == Status::success);
  CHECK(stored->timing.crossed < stored->at);
  device.write(stored->timing.crossed, write, *stored, written);
  const auto delivered = device.submit(stored->at, again);
  REQUIRE(delivered);
  device.read(again, *delivered, read);
  CHECK_FALSE(content::first_difference(read, written));
  const auto beyond = device.submit(at(1000_us), {0, Operation::read, 2048, 1});
  REQUIRE(beyond);
  CHECK(beyond->status == Status::lba_out_of_range);
  device.faults().add(disk::FaultEffects(disk::MediumError{16, 1, 1000_us}), {}, {faults::Extent::no_limit, {}}, 1,
                      "fault", {});
  const auto bad = device.submit(at(2000_us), {0, Operation::read, 8, 16});
  REQUIRE(bad);
  CHECK(bad->status == Status::unrecovered_read_error);
  CHECK(bad->information == 16);
  CHECK(bad->at > at(3000_us));
  device.faults().add(disk::FaultEffects(disk::Dead{}), {}, {faults::Extent::no_limit, {}}, 1, "death", {});
  CHECK_FALSE(device.submit(at(5000_us), {0, Operation::read, 0, 1}));
}

TEST_CASE("a die erases as often as the bytes that it programs ask for") {
  DriveParams p = simple();
  p.collection = {1, 4_KiB, 100_us};  // a program has 32 KiB
  p.capacity = 8_MiB;
  Counted counted(p);
  for (std::uint64_t i = 0; i < 8; ++i) counted.drive.submit(at(10'000_us * i), {0, Operation::write, i * 128, 128});
  CHECK(counted.value("erasures") == 8 * 2 * 8);
}
