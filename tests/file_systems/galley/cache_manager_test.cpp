// SPDX-License-Identifier: MIT
#include "sw/file_systems/galley/server/cache_manager.h"

#include <cstring>

#include "tests/support/block_notes.h"
#include "tests/support/catch.h"
#include "tests/support/endpoints.h"
#include "tests/support/fake_store.h"

using namespace sunstar;
using namespace sunstar::file_systems::galley;
using test::FakeMachine;
using test::free_of_charge;

namespace {

/// A node with one disk of 100 blocks of 1 KiB, whose bytes are their block's number, and a cache.
struct CacheManagerRig {
  explicit CacheManagerRig(std::uint32_t buffers)
      : machine(1), endpoints(machine, free_of_charge()), store(test::plain_store(machine, 0, 1, 1, 200)) {
    for (std::size_t b = 0; b < 100; ++b) std::memset(&disk().bytes[b * 1024], static_cast<int>(b), 1024);
    nodes.add_io(endpoints[0], *store, "cyclical-scan");
    cache.emplace(nodes.io.front(), buffers, 1024, 2);
  }
  test::FakeDisk& disk() { return machine[0].disk(0); }
  os::Os& os() { return endpoints.os(0); }
  void run(os::Task<> body) {
    os().spawn(std::move(body), "test");
    machine.timeline.run();
  }
  /// The blocks that the disk was told to read or write, in order.
  std::vector<std::uint64_t> blocks(bool write) {
    std::vector<std::uint64_t> all;
    for (const auto& e : disk().log)
      if (e.write == write) all.push_back(e.sector / 2);
    return all;
  }
  /// Uses the block once and returns its first byte.
  os::Task<int> use(std::uint32_t block) {
    Buffer* const buffer = co_await cache->get({0, block});
    const int first = std::to_integer<int>(buffer->bytes()[0]);
    cache->give_back(*buffer);
    co_return first;
  }

  FakeMachine machine;
  test::Endpoints endpoints;
  std::unique_ptr<io::Store> store;
  io::Nodes nodes;
  std::optional<CacheManager> cache;
};

using Blocks = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("the block that has not been used for longest makes room") {
  CacheManagerRig rig(4);
  bool ended = false;
  const auto body = [&]() -> os::Task<> {
    for (const std::uint32_t block : {1, 2, 3, 4, 1, 5, 2, 1}) {  // 5 replaces 2, then 2 replaces 3
      const int first = co_await rig.use(block);
      CHECK(first == static_cast<int>(block));
    }
    ended = true;
  };
  rig.run(body());
  CHECK(ended);
  CHECK(rig.blocks(false) == Blocks{1, 2, 3, 4, 5, 2});
}

TEST_CASE("blocks in use are never replaced, and a thread that wants another one waits until one is given back") {
  CacheManagerRig rig(4);
  std::vector<Buffer*> held;
  Time got{};
  const auto holder = [&]() -> os::Task<> {
    for (const std::uint32_t block : {1, 2, 3, 4}) {
      Buffer* const buffer = co_await rig.cache->get({0, block});
      held.push_back(buffer);
    }
    co_await rig.os().sleep_until(Time{Duration{50'000'000'000}});  // 50 ms
    rig.cache->give_back(*held[2]);
  };
  const auto other = [&]() -> os::Task<> {
    co_await rig.os().sleep_until(Time{Duration{10'000'000'000}});
    const int first = co_await rig.use(9);
    CHECK(first == 9);
    got = rig.os().now();
  };
  rig.os().spawn(other(), "other");
  rig.run(holder());
  CHECK(got == Time{Duration{51'000'000'000}});  // 50 ms and a disk command
}

TEST_CASE("a changed block is written before its buffer takes another one, and read back right") {
  CacheManagerRig rig(4);
  const auto body = [&]() -> os::Task<> {
    Buffer* const buffer = co_await rig.cache->get({0, 7});
    std::memset(buffer->bytes(), 77, 1024);
    rig.cache->changed(*buffer);
    rig.cache->give_back(*buffer);
    for (const std::uint32_t block : {1, 2, 3, 4}) co_await rig.use(block);
    const int first = co_await rig.use(7);
    CHECK(first == 77);
  };
  rig.run(body());
  CHECK(rig.blocks(true) == Blocks{7});
  CHECK(rig.disk().bytes[7 * 1024] == std::byte{77});
}

TEST_CASE("a block that will be written whole is not read, nor is a fresh one, which begins as zeros") {
  CacheManagerRig rig(4);
  const auto body = [&]() -> os::Task<> {
    Buffer* buffer = co_await rig.cache->get({0, 20}, true);
    std::memset(buffer->bytes(), 1, 1024);
    rig.cache->changed(*buffer);
    rig.cache->give_back(*buffer);
    rig.cache->is_fresh({0, 21});
    rig.cache->is_fresh({0, 22});
    buffer = co_await rig.cache->get({0, 21});
    CHECK(buffer->bytes()[1000] == std::byte{0});
    rig.cache->give_back(*buffer);
    co_await rig.cache->flush();
  };
  rig.run(body());
  CHECK(rig.blocks(false) == Blocks{});
  CHECK(rig.blocks(true) == Blocks{20, 21, 22});  // also the fresh one that nobody touched
  CHECK(rig.disk().bytes[20 * 1024] == std::byte{1});
  CHECK(rig.disk().bytes[22 * 1024] == std::byte{0});
  CHECK(rig.disk().synchronisations == 1);
}

TEST_CASE("untouched fresh blocks go to the disk by their numbers, not by hashes") {
  CacheManagerRig rig(1);  // each block makes room for the next
  Blocks expected;
  for (std::uint32_t b = 0; b < 20; ++b) {
    rig.cache->is_fresh({0, 7 * b % 20 + 50});
    expected.push_back(b + 50);
  }
  const auto body = [&]() -> os::Task<> { co_await rig.cache->flush(); };
  rig.run(body());
  CHECK(rig.blocks(true) == expected);
}

TEST_CASE("a thread that wants a block that another one writes whole waits for the new bytes") {
  CacheManagerRig rig(4);
  const Time brought{Duration{20'000'000'000}};  // 20 ms
  int seen = -1;
  Time reads{}, writes{};
  const auto writer = [&]() -> os::Task<> {
    Buffer* const buffer = co_await rig.cache->get({0, 8}, true);
    co_await rig.os().sleep_until(brought);
    std::memset(buffer->bytes(), 80, 1024);
    rig.cache->changed(*buffer);
    rig.cache->give_back(*buffer);
  };
  const auto reader = [&]() -> os::Task<> {
    seen = co_await rig.use(8);
    reads = rig.os().now();
  };
  const auto other_writer = [&]() -> os::Task<> {
    Buffer* const buffer = co_await rig.cache->get({0, 8}, true);
    writes = rig.os().now();
    rig.cache->give_back(*buffer);
  };
  rig.os().spawn(writer(), "writer");
  rig.os().spawn(reader(), "reader");
  rig.run(other_writer());
  CHECK(seen == 80);
  CHECK(reads >= brought);
  CHECK(writes < brought);  // brings all bytes itself
}

TEST_CASE("several threads that want a block at the same time cause one read, and lists take turns") {
  CacheManagerRig rig(16);
  std::vector<std::uint32_t> order;
  const std::vector<Wish> a{{{0, 10}, false}, {{0, 11}, false}, {{0, 12}, false}},
      b{{{0, 10}, false}, {{0, 30}, false}};
  const auto reader = [&](const std::vector<Wish>& wishes, std::uint32_t who) -> os::Task<> {
    Delivery delivery(rig.os());
    rig.cache->want(wishes, delivery);
    for (std::size_t i = 0; i < wishes.size(); ++i) {
      const Delivery::Arrived arrived = co_await delivery.next();
      CHECK(arrived.buffer->holds() == wishes[arrived.item].block);
      order.push_back(who * 100 + arrived.buffer->holds().block);
      rig.cache->give_back(*arrived.buffer);
    }
  };
  rig.os().spawn(reader(a, 1), "a");
  rig.os().spawn(reader(b, 2), "b");
  rig.machine.timeline.run();
  CHECK(rig.blocks(false) == Blocks{10, 11, 12, 30});
  CHECK(order == std::vector<std::uint32_t>{110, 210, 111, 112, 230});
}

TEST_CASE("a disk chooses among the blocks of all threads that were ready, not the first one's") {
  CacheManagerRig rig(16);
  const auto reader = [&](std::uint32_t block) -> os::Task<> { co_await rig.use(block); };
  const auto readers = [&]() -> os::Task<> {
    for (const std::uint32_t block : {30, 10, 20}) rig.os().spawn(reader(block), "reader");
    co_return;
  };
  rig.run(readers());
  CHECK(rig.blocks(false) == Blocks{10, 20, 30});
}

TEST_CASE("a forgotten block is not written") {
  CacheManagerRig rig(4);
  const auto body = [&]() -> os::Task<> {
    Buffer* const buffer = co_await rig.cache->get({0, 5}, true);
    rig.cache->changed(*buffer);
    rig.cache->give_back(*buffer);
    rig.cache->forget({0, 5});
    co_await rig.cache->flush();
  };
  rig.run(body());
  CHECK(rig.blocks(true) == Blocks{});
}

TEST_CASE("the cache manager says what happens to its blocks") {
  CacheManagerRig rig(2);
  test::BlockNotes notes(rig.os());
  const auto said = [&] { return std::exchange(notes.lines, {}); };
  const auto reads = [&](std::uint32_t block) -> os::Task<> { co_await rig.use(block); };
  const auto changes = [&](std::uint32_t block) -> os::Task<> {
    Buffer* const buffer = co_await rig.cache->get({0, block});
    rig.cache->changed(*buffer);
    rig.cache->give_back(*buffer);
  };
  for (std::uint32_t block : {1, 1, 2}) rig.run(reads(block));
  CHECK(said() == test::Lines{"miss 1", "hit 1", "miss 2"});
  // Two threads want one block, which is read once.
  rig.os().spawn(reads(3), "test");
  rig.run(reads(3));
  CHECK(said() == test::Lines{"miss 3", "evict 1", "join 3"});
  rig.run(changes(2));
  rig.run(reads(3));
  rig.run(reads(4));
  CHECK(said() == test::Lines{"hit 2", "hit 3", "miss 4", "evict 2", "write back 2"});
  rig.run(changes(3));
  const auto flush = [&]() -> os::Task<> { co_await rig.cache->flush(); };
  rig.run(flush());
  CHECK(said() == test::Lines{"hit 3", "write back 3"});
  rig.cache->forget({0, 3});
  rig.cache->forget({0, 99});  // is not there
  CHECK(said() == test::Lines{"forget 3"});
}

TEST_CASE("a block that cannot be read is delivered as failed, and its buffer is free again") {
  CacheManagerRig rig(1);
  const auto body = [&]() -> os::Task<> {
    rig.disk().broken = true;
    rig.disk().error = hal::Status::medium_error;
    Buffer* buffer = co_await rig.cache->get({0, 7});
    CHECK(buffer == nullptr);
    CHECK(rig.cache->error(0) == hal::Status::medium_error);
    // Two threads' lists: the one that writes all of the block gets the buffer, the one that wants its bytes does not.
    const std::vector<Wish> part{{{0, 8}, false}}, whole{{{0, 8}, true}};
    Delivery reader(rig.os()), writer(rig.os());
    rig.cache->want(part, reader);
    rig.cache->want(whole, writer);
    const Delivery::Arrived failed = co_await reader.next();
    CHECK(failed.buffer == nullptr);
    CHECK(failed.status == hal::Status::medium_error);
    const Delivery::Arrived got = co_await writer.next();
    REQUIRE(got.buffer);
    const std::vector<std::byte> fives(1024, std::byte{5});
    rig.os().memory().put(got.buffer->bytes(), fives.data(), fives.size());
    rig.cache->changed(*got.buffer);
    rig.cache->give_back(*got.buffer);
    rig.disk().broken = false;
    const int first = co_await rig.use(7);
    CHECK(first == 7);
  };
  rig.run(body());
  CHECK(rig.disk().bytes[8 * 1024] == std::byte{5});
}

TEST_CASE("a changed block that cannot be written is lost: the next flush tells, and no read finds the old bytes") {
  CacheManagerRig rig(1);
  bool ended = false;
  const auto body = [&]() -> os::Task<> {
    Buffer* buffer = co_await rig.cache->get({0, 7});
    std::memset(buffer->bytes(), 77, 1024);
    rig.cache->changed(*buffer);
    rig.cache->give_back(*buffer);
    rig.disk().broken = true;
    rig.disk().error = hal::Status::medium_error;
    buffer = co_await rig.cache->get({0, 9}, true);  // block 7 makes room
    REQUIRE(buffer);
    rig.cache->changed(*buffer);
    rig.cache->give_back(*buffer);
    rig.disk().broken = false;
    const hal::Status told = co_await rig.cache->flush();
    CHECK(told == hal::Status::medium_error);
    REQUIRE(rig.cache->lost().size() == 1);
    CHECK(rig.cache->lost().front().block == DiskBlock{0, 7});
    rig.cache->lost().clear();
    buffer = co_await rig.cache->get({0, 7});
    CHECK(buffer == nullptr);
    buffer = co_await rig.cache->get({0, 7}, true);
    REQUIRE(buffer);
    std::memset(buffer->bytes(), 78, 1024);
    rig.cache->changed(*buffer);
    rig.cache->give_back(*buffer);
    const hal::Status all_right = co_await rig.cache->flush();
    CHECK(all_right == hal::Status::ok);
    co_await rig.use(1);
    const int first = co_await rig.use(7);
    CHECK(first == 78);
    ended = true;
  };
  rig.run(body());
  CHECK(ended);
}
