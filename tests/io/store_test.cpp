// SPDX-License-Identifier: MIT
// The block store on its own: the plain one, and a mirror, which shows what another kind has to do.
#include "sw/io/store/store.h"

#include <cstring>
#include <deque>
#include <optional>

#include "models/core/error.h"
#include "sw/io/nodes.h"
#include "sw/io/volume.h"
#include "tests/support/catch.h"
#include "tests/support/endpoints.h"
#include "tests/support/fake_store.h"

using namespace sunstar;
using namespace sunstar::literals;
using Catch::Matchers::ContainsSubstring;
using test::at_ns;

namespace {

/// A unit is two disks of an I/O processor, one behind the other in its numbers. Both are written, and the first is
/// read, or the second if the first reports an error. It is here to try the interface with.
class Mirror final : public io::Store {
 public:
  explicit Mirror(std::vector<io::Drive> drives) : Store(512), drives_(std::move(drives)) { units_ = {{0, 0}}; }
  io::RawDisk& raw(std::uint32_t) override { return *drives_.front().bytes; }
  io::StoreServer& serve(std::uint32_t, messages::Endpoint&, io::DiskDrivers& drivers) override {
    return servers_.emplace_back(drivers);
  }

 private:
  class Server final : public io::StoreServer {
   public:
    explicit Server(io::DiskDrivers& drivers) : drivers_(drivers) {}
    std::uint32_t units() const override { return 1; }
    std::uint64_t sectors(std::uint32_t) const override { return drivers_[0].sectors(); }
    void queue(io::DiskRequest& request) override {
      Copies& copies = copies_.emplace_back(request, drivers_);
      copies.begin(0);
      if (request.write) copies.begin(1);
    }
    os::Task<hal::Status> synchronise() override { return drivers_.synchronise(); }
    os::Task<std::vector<io::LostWrite>> take_lost_writes() override { co_return std::vector<io::LostWrite>{}; }

   private:
    /// What a request to the unit becomes.
    struct Copies {
      struct Operation final : io::DiskRequest {
        Copies* copies = nullptr;
        void finished(hal::Status ended) override { copies->ended(unit, ended); }
      };
      Copies(io::DiskRequest& request, io::DiskDrivers& drivers) : whole(request), disks(drivers) {}
      void begin(std::uint32_t disk) {
        Operation& one = operations[disk];
        one.copies = this;
        one.unit = disk;
        one.write = whole.write;
        one.sector = whole.sector;
        one.sectors = whole.sectors;
        one.data = whole.data;
        ++left;
        disks[disk].submit(one);
      }
      void ended(std::uint32_t disk, hal::Status status) {
        --left;
        if (status == hal::Status::ok) good = true;
        else if (!whole.write && disk == 0) begin(1);
        if (left == 0) whole.finished(good ? hal::Status::ok : hal::Status::medium_error);
      }
      io::DiskRequest& whole;
      io::DiskDrivers& disks;
      Operation operations[2];
      unsigned left = 0;
      bool good = false;
    };
    io::DiskDrivers& drivers_;
    std::deque<Copies> copies_;
  };
  const std::vector<io::Drive> drives_;
  std::deque<Server> servers_;
};

/// One I/O processor with a store of two disks of 100 sectors.
struct StoreRig {
  template <class Make>
  explicit StoreRig(Make make) : store(make(test::add_disks(machine, 0, 1, 2, 100))) {
    nodes.add_io(endpoints[0], *store, "first-come-first-served");
  }
  test::FakeDisk& disk(std::size_t d) { return machine[0].disk(d); }
  /// Transfers sectors 10 and 11 of a unit.
  void transfer(std::uint32_t unit, bool write) {
    io::AwaitedRequest request(endpoints.os(0));
    request.unit = unit;
    request.write = write;
    request.sector = 10;
    request.sectors = 2;
    request.data = {bytes};
    const auto body = [&]() -> os::Task<> {
      status = co_await request.carry_out(nodes.io[0].store);
      ended = endpoints.os(0).now();
    };
    endpoints.os(0).spawn(body(), "test");
    began = machine.timeline.now();
    machine.timeline.run();
  }

  test::FakeMachine machine{1};
  test::Endpoints endpoints{machine, test::free_of_charge()};
  std::unique_ptr<io::Store> store;
  io::Nodes nodes;
  std::byte bytes[1024]{};
  Time began{};
  std::optional<Time> ended;
  hal::Status status = hal::Status::ok;
};

std::unique_ptr<io::Store> plain_drives(std::vector<io::Drive> drives) {
  return io::plain::make({}, std::move(drives));
}
std::unique_ptr<io::Store> mirror(std::vector<io::Drive> drives) { return std::make_unique<Mirror>(std::move(drives)); }

}  // namespace

TEST_CASE("in a plain store each drive is a unit") {
  StoreRig rig(plain_drives);
  REQUIRE(rig.store->units().size() == 2);
  CHECK(rig.store->units()[1].unit == 1);
  CHECK(rig.store->sector_bytes() == 512);
  CHECK(rig.nodes.io[0].store.units() == 2);
  CHECK(rig.nodes.io[0].store.sectors(1) == 100);
  CHECK(rig.store->raw(1).name() == "node0_disk1");
  rig.bytes[1023] = std::byte{7};
  rig.transfer(1, true);
  CHECK(rig.ended == at_ns(1'000'000));
  CHECK(rig.disk(0).log.empty());
  std::byte found[512];
  rig.store->raw(1).read(11, found);
  CHECK(found[511] == std::byte{7});
}

TEST_CASE("synchronising a store writes out the drives that were written") {
  StoreRig rig(plain_drives);
  rig.transfer(1, true);
  const auto body = [&]() -> os::Task<> { rig.status = co_await rig.nodes.io[0].store.synchronise(); };
  rig.endpoints.os(0).spawn(body(), "test");
  rig.machine.timeline.run();
  CHECK(rig.disk(0).synchronisations == 0);
  CHECK(rig.disk(1).synchronisations == 1);
}

TEST_CASE("a disk that does not answer is given up, and its requests fail at once from then on") {
  StoreRig rig(plain_drives);
  rig.disk(1).broken = true;
  rig.transfer(1, false);
  CHECK(rig.status == hal::Status::no_device);
  CHECK(rig.nodes.io[0].drivers[1].offline());
  rig.disk(1).broken = false;
  const auto commands = rig.disk(1).log.size();
  rig.transfer(1, false);
  CHECK(rig.status == hal::Status::no_device);
  CHECK(rig.disk(1).log.size() == commands);
}

TEST_CASE("one request to a store may become several to drives, and a drive's error need not be the store's") {
  StoreRig rig(mirror);
  rig.bytes[0] = std::byte{9};
  rig.transfer(0, true);
  CHECK(rig.ended == at_ns(1'000'000));  // both disks wrote at the same time
  for (std::size_t d = 0; d < 2; ++d) CHECK(rig.disk(d).bytes[10 * 512] == std::byte{9});
  rig.bytes[0] = std::byte{0};
  rig.disk(0).broken = true;
  rig.transfer(0, false);
  CHECK(rig.ended == rig.began + 2_ms);  // the first disk said no, after a millisecond
  CHECK(rig.bytes[0] == std::byte{9});
  rig.disk(1).broken = true;
  rig.transfer(0, false);
  CHECK(rig.status == hal::Status::medium_error);
}

TEST_CASE("a file goes round the units, and each has its share of the blocks") {
  test::FakeMachine machine(2);
  const auto store = test::plain_store(machine, 0, 2, 2, 100);
  io::Volume volume(*store, 1024);
  const auto evenly = io::BlockAddresses::evenly;
  volume.add({5 * 1024 + 1, {evenly(10, 10, 2), evenly(30, 2, 2), evenly(50, 1, 1), evenly(70, 1, 1)}});
  CHECK(volume.units() == 4);
  CHECK(volume.sectors_per_block() == 2);
  CHECK(volume.blocks(0) == 6);
  CHECK(volume.bytes_in_block(0, 5) == 1);
  // Units 0 to 3 are the first disk of either I/O processor, then the second.
  CHECK(volume.server_of(1) == 1);
  CHECK(volume.place_of(2).io_processor == 0);
  CHECK(volume.place_of(2).unit == 1);
  CHECK(volume.sector_of(0, 5) == 32);
  CHECK(volume.next_on_unit(1) == 5);
  CHECK(volume.blocks_on(1, 5 * 1024 + 1) == 2);
  CHECK(volume.blocks_on(2, 5 * 1024 + 1) == 1);
  CHECK(volume.blocks_on(0, 0) == 0);
  // What divides evenly: 10 MiB in blocks of 1 KiB on 4 units.
  CHECK(volume.blocks_on(3, 10 << 20) == 2560);
}

TEST_CASE("a request is aimed at a block, or at a part of one") {
  test::FakeMachine machine(1);
  const auto store = test::plain_store(machine, 0, 1, 2, 100);
  os::Common common(test::free_of_charge());
  os::Os os(machine[0], common);
  io::Volume volume(*store, 2048);
  volume.add({4 * 2048, {io::BlockAddresses::evenly(8, 8, 2), io::BlockAddresses::evenly(40, 20, 2)}});
  io::AwaitedRequest request(os);
  volume.aim(request, 0, 3);
  CHECK(request.unit == 1);
  CHECK(request.sector == 60);
  CHECK(request.sectors == 4);
  volume.aim(request, 0, 2, 1024, 600);
  CHECK(request.unit == 0);
  CHECK(request.sector == 18);
  CHECK(request.sectors == 2);
}
