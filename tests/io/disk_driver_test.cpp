// SPDX-License-Identifier: MIT
#include "sw/io/store/disk_driver.h"

#include "tests/support/catch.h"
#include "tests/support/fake_store.h"
#include "tests/support/queue_rig.h"

using namespace sunstar;
using namespace sunstar::literals;
using test::at_ns;
using test::FakeMachine;
using test::free_of_charge;
using test::Sectors;
using test::served;
using Request = test::QueuedRequest;

TEST_CASE("first come first served keeps the order of arrival") {
  CHECK(served("first-come-first-served", 40, {50, 10, 90, 30}) == Sectors{40, 50, 10, 90, 30});
}

TEST_CASE("cyclical scan goes up from where the arm is and begins again at the lowest sector") {
  // The arm is at 42 after sectors 40 and 41.
  CHECK(served("cyclical-scan", 40, {50, 10, 90, 30}) == Sectors{40, 50, 90, 10, 30});
  CHECK(served("cyclical-scan", 40, {42, 40}) == Sectors{40, 42, 40});
  CHECK(served("cyclical-scan", 98, {10, 50}) == Sectors{98, 10, 50});
}

TEST_CASE("C-LOOK goes up from where the last request began, so that what has just been read is written next") {
  CHECK(served("c-look", 40, {50, 10, 90, 30}) == Sectors{40, 50, 90, 10, 30});
  CHECK(served("c-look", 40, {42, 40}) == Sectors{40, 40, 42});
}

TEST_CASE("a fair cyclical scan serves what waits in ascending order, and what comes meanwhile in the next sweep") {
  CHECK(served("fair-cyclical-scan", 40, {50, 10, 90, 30}) == Sectors{40, 10, 30, 50, 90});
  // A command takes 1 ms. 50 comes while the sweep over 10 and 90 is at 10, and waits although the arm passes it.
  FakeMachine machine(1);
  machine[0].add_disk(200);
  os::Common common(free_of_charge());
  os::Os os(machine[0], common);
  io::DiskDrivers drivers(os, "fair-cyclical-scan", {});
  Request first(40), low(10), high(90), late(50);
  for (Request* r : {&first, &high, &low}) drivers[0].submit(*r);
  machine.timeline.at(Time{1500_us}, [&] { drivers[0].submit(late); });
  machine.timeline.run();
  Sectors log;
  for (const auto& entry : machine[0].disk(0).log) log.push_back(entry.sector);
  CHECK(log == Sectors{40, 10, 90, 50});
}

TEST_CASE("shortest seek first takes the nearest request, and of two equally near ones the older") {
  // From 42: 50 is 8 away, 30 is 12. From 52: 30 is 22 away. From 32: 10. From 12: 90.
  CHECK(served("shortest-seek-first", 40, {10, 90, 30, 50}) == Sectors{40, 50, 30, 10, 90});
  CHECK(served("shortest-seek-first", 40, {52, 32}) == Sectors{40, 52, 32});
  CHECK(served("shortest-seek-first", 40, {32, 52}) == Sectors{40, 32, 52});
}

TEST_CASE("LOOK goes on in the arm's direction and turns round where nothing is left ahead") {
  CHECK(served("look", 40, {50, 10, 90, 30}) == Sectors{40, 50, 90, 30, 10});
  CHECK(served("look", 98, {10, 50, 50, 60}) == Sectors{98, 60, 50, 50, 10});
}

TEST_CASE("deadline serves reads upwards before writes, which it passes over twice") {
  const auto order = [](const Sectors& reads) { return served("deadline", 40, reads, {20}); };
  CHECK(order({90, 60}) == Sectors{40, 60, 90, 20});
  CHECK(order({30, 24, 10}) == Sectors{40, 30, 24, 20, 10});  // each read below the arm begins a batch
  Sectors many;
  for (std::uint64_t s = 42; s < 42 + 2 * 60; s += 2) many.push_back(s);
  CHECK(order(many)[3 * 16] == 20);  // behind three batches, with the first read
}

TEST_CASE("every queue order serves a single request") {
  for (const auto& name : io::queue_order_names()) CHECK(served(name, 0, {10}) == Sectors{0, 10});
}

TEST_CASE("a disk gets one command at a time, each after the driver's work for it") {
  // 50 ns of work a request, then 1 ms at the disk: commands at 50 ns and 1 ms + 100 ns; the last ends at 2 ms + 100
  // ns.
  FakeMachine machine(1);
  machine[0].add_disk(100);
  auto costs = free_of_charge();
  costs.disk_request = Cycles{50};
  os::Common common(costs);
  os::Os os(machine[0], common);
  io::DiskDrivers drivers(os, "first-come-first-served", {});
  Request read(0), write(10, true);
  write.bytes[1023] = std::byte{7};
  Time drained{};
  const auto drain = [&]() -> os::Task<> {
    co_await drivers[0].drain();
    drained = os.now();
  };
  drivers[0].submit(read);
  drivers[0].submit(write);
  os.spawn(drain(), "drain");
  machine.timeline.run();
  const auto& log = machine[0].disk(0).log;
  REQUIRE(log.size() == 2);
  CHECK(log[0].when == at_ns(50));
  CHECK(log[1].when == at_ns(1'000'100));
  CHECK(drivers[0].last_completion() == at_ns(2'000'100));
  CHECK(drained == at_ns(2'000'100));
  CHECK(drivers[0].reads() == 1);
  CHECK(drivers[0].writes() == 1);
  CHECK(machine[0].disk(0).bytes[12 * 512 - 1] == std::byte{7});
}

TEST_CASE("a drive that takes several commands gets as many, and keeps on its list what comes beyond") {
  FakeMachine machine(1);
  machine[0].add_disk(200).takes = 2;
  os::Common common(free_of_charge());
  os::Os os(machine[0], common);
  io::DiskDrivers drivers(os, "cyclical-scan", {});
  Request a(40), b(90), c(10), d(50);
  for (Request* r : {&a, &b, &c, &d}) drivers[0].submit(*r);
  CHECK(drivers[0].queued() == 2);
  machine.timeline.run();
  const auto& log = machine[0].disk(0).log;
  REQUIRE(log.size() == 4);
  CHECK(log[1].when == at_ns(0));
  CHECK(log[1].sector == 90);
  CHECK(log[2].when == at_ns(1'000'000));
  CHECK(log[2].sector == 10);  // nothing above 92
  CHECK(log[3].when == at_ns(1'000'000));
  CHECK(log[3].sector == 50);
  CHECK(drivers[0].idle());
  CHECK(a.ended + b.ended + c.ended + d.ended == 4);
}

TEST_CASE("a write that ends while a drive is synchronised has it synchronised again") {
  FakeMachine machine(1);
  machine[0].add_disk(200).takes = 2;
  os::Common common(free_of_charge());
  os::Os os(machine[0], common);
  io::DiskDrivers drivers(os, "first-come-first-served", {});
  Request flush(0), write(10, true);
  flush.synchronise = true;
  drivers[0].submit(write);
  machine.timeline.at(Time{500_us}, [&] { drivers[0].submit(flush); });
  machine.timeline.run();
  CHECK(drivers[0].to_synchronise());
  Request again(0);
  again.synchronise = true;
  drivers[0].submit(again);
  machine.timeline.run();
  CHECK_FALSE(drivers[0].to_synchronise());
}

TEST_CASE("the disks of an I/O processor work at the same time") {
  FakeMachine machine(1);
  for (int d = 0; d < 3; ++d) machine[0].add_disk(100);
  os::Common common(free_of_charge());
  os::Os os(machine[0], common);
  io::DiskDrivers drivers(os, "first-come-first-served", {});
  Request a(0), b(0), c(0);
  drivers[0].submit(a);
  drivers[1].submit(b);
  drivers[2].submit(c);
  machine.timeline.run(at_ns(1'000'000));
  CHECK(a.ended + b.ended + c.ended == 3);
}

TEST_CASE("a disk that comes back from a loss of power may have lost what it had reported since it was synchronised") {
  FakeMachine machine(1);
  machine[0].add_disk(200);
  os::Common common(free_of_charge());
  os::Os os(machine[0], common);
  io::DiskDrivers drivers(os, "first-come-first-served", {});
  const auto write = [&](std::uint64_t sector) {
    Request request(sector, true);
    drivers[0].submit(request);
    machine.timeline.run();
    CHECK(request.ended == 1);
  };
  const auto synchronise = [&] {
    hal::Status status{};
    const auto task = [&]() -> os::Task<> { status = co_await drivers.synchronise(); };
    os.spawn(task(), "synchronise");
    machine.timeline.run();
    return status;
  };
  write(100);
  CHECK(synchronise() == hal::Status::ok);
  for (std::uint64_t sector : {10u, 12u, 40u}) write(sector);
  machine[0].disk(0).lost_power = true;
  write(60);  // it meets the unit attention, and is tried again
  CHECK(drivers[0].troubles().retries == 1);
  CHECK(synchronise() == hal::Status::not_ready);
  const auto lost = test::lost_writes(os, machine, drivers);
  REQUIRE(lost.size() == 2);
  CHECK((lost[0].sector == 10 && lost[0].sectors == 4));
  CHECK((lost[1].sector == 40 && lost[1].sectors == 2));
  CHECK(synchronise() == hal::Status::ok);
  CHECK(test::lost_writes(os, machine, drivers).empty());
  // Also if it is the synchronising command that finds out.
  write(20);
  machine[0].disk(0).lost_power = true;
  CHECK(synchronise() == hal::Status::not_ready);
  CHECK(test::lost_writes(os, machine, drivers).size() == 1);
  machine[0].disk(0).lost_power = true;
  CHECK(synchronise() == hal::Status::ok);  // nothing has been written since
}

TEST_CASE("a drive that is not ready is waited for up to a minute, and each time anew") {
  FakeMachine machine(1);
  machine[0].add_disk(200);
  os::Common common(free_of_charge());
  os::Os os(machine[0], common);
  io::DiskDrivers drivers(os, "first-come-first-served", {});
  test::FakeDisk& disk = machine[0].disk(0);
  disk.error = hal::Status::not_ready;
  const auto status_after = [&](Duration not_ready) {
    const Time begun = machine.timeline.now();
    disk.broken = true;
    machine.timeline.at(begun + not_ready, [&] { disk.broken = false; });
    Request request(10);
    drivers[0].submit(request);
    machine.timeline.run();
    CHECK(request.ended == 1);
    return request.status;
  };
  for (int times = 0; times < 3; ++times) CHECK(status_after(50'000_ms) == hal::Status::ok);
  CHECK(status_after(70'000_ms) == hal::Status::not_ready);
  CHECK(status_after(50'000_ms) == hal::Status::ok);
}
