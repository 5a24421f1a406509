// SPDX-License-Identifier: MIT
#include "sw/io/cached/cache.h"

#include "tests/support/block_notes.h"
#include "tests/support/catch.h"
#include "tests/support/firmware_rig.h"

using namespace sunstar;
using namespace sunstar::literals;
using io::cached::Cache;
using os::Task;
using test::FirmwareRig;

namespace {

os::Task<Cache::Buffer*> obtain(Cache& cache, std::uint32_t file, std::uint64_t block) {
  Cache::Buffer* buffer;
  while (!(buffer = cache.try_obtain(file, block))) co_await cache.room(file, block);
  co_return buffer;
}

using Blocks = std::vector<std::uint64_t>;

/// The cache of the I/O processor of a rig with one compute processor and one disk: `buffers` buffers of 1 KiB.
struct CacheRig : FirmwareRig {
  explicit CacheRig(std::uint32_t buffers, std::uint64_t file_bytes = 10 * block)
      : FirmwareRig(1, 1, file_bytes), cache(io_node(), system.volume, "lru", buffers) {}

  std::byte* bytes(Cache::Buffer& buffer) { return io().memory().bytes(cache.data(buffer), block); }
  Task<> read(std::uint64_t b) {
    Cache::Buffer* buffer = co_await obtain(cache, 0, b);
    while (!cache.fetched(*buffer, 0, block)) co_await buffer->waiters.wait();
    CHECK(content::matches(0, 0, b * block, std::span<const std::byte>(bytes(*buffer), block)));
    cache.unpin(*buffer);
  }
  Task<> write(std::uint64_t b, std::uint32_t offset, std::uint32_t bytes) {
    Cache::Buffer* buffer = co_await obtain(cache, 0, b);
    cache.prepare_write(*buffer, bytes);
    content::fill(0, 1, b * block + offset, std::span(this->bytes(*buffer) + offset, bytes));
    cache.written(*buffer, offset, bytes);
    cache.unpin(*buffer);
  }
  Task<> sync() { co_await cache.sync(); }

  /// Runs to the end, as a thread of the I/O processor.
  void operator()(Task<> task) {
    bool ended = false;
    const auto body = [](Task<> inner, bool& flag) -> Task<> {
      co_await inner;
      flag = true;
    };
    io().spawn(body(std::move(task), ended), "test");
    machine.timeline.run();
    CHECK(ended);
  }
  /// Version 1 in [from, to) of the block on disk, version 0 around it.
  void check_on_disk(std::uint64_t b, std::uint32_t from, std::uint32_t to) {
    const auto bytes = on_disk(b);
    const std::uint64_t start = b * block;
    CHECK(content::matches(0, 0, start, bytes.first(from)));
    CHECK(content::matches(0, 1, start + from, bytes.subspan(from, to - from)));
    CHECK(content::matches(0, 0, start + to, bytes.subspan(to)));
  }

  Cache cache;
};

}  // namespace

TEST_CASE("a block that is in the cache is not read again") {
  CacheRig rig(2);
  for (std::uint64_t b : {3, 3, 4, 3, 4}) rig(rig.read(b));
  CHECK(rig.blocks(0, false) == Blocks{3, 4});
  CHECK(rig.cache.hits == 3);
  CHECK(rig.cache.misses == 2);
  CHECK(rig.cache.evictions == 0);
}

TEST_CASE("the least recently used block is replaced") {
  // Three buffers: 0, 1, 2, then 0 again; 3 takes the place of 1, and 1 that of 2.
  CacheRig rig(3);
  for (std::uint64_t b : {0, 1, 2, 0, 3, 0, 1, 2}) rig(rig.read(b));
  CHECK(rig.blocks(0, false) == Blocks{0, 1, 2, 3, 1, 2});
  CHECK(rig.cache.evictions == 3);
}

TEST_CASE("a block that is found but not used keeps its place in the order of replacement") {
  CacheRig rig(2);
  rig(rig.read(0));
  rig(rig.read(1));
  CHECK(rig.cache.find(0, 0) != nullptr);
  rig(rig.read(2));
  CHECK(rig.cache.find(0, 0) == nullptr);
  CHECK(rig.cache.find(0, 1) != nullptr);
}

TEST_CASE("a buffer goes to disk when all of its bytes have been written, and not before") {
  CacheRig rig(2);
  rig(rig.write(5, 0, 1000));
  rig(rig.write(5, 500, 500));  // no new byte
  CHECK(rig.disk(0).log.empty());
  rig(rig.write(5, 1000, 24));
  CHECK(rig.blocks(0, true) == Blocks{5});
  CHECK(rig.blocks(0, false).empty());
  rig.check_on_disk(5, 0, 1024);
  rig(rig.sync());
  CHECK(rig.blocks(0, true) == Blocks{5});  // there is nothing left to write
}

TEST_CASE("a block written byte by byte in any order goes to disk once") {
  CacheRig rig(2);
  for (std::uint32_t i = 0; i < 1024; ++i) rig(rig.write(2, i * 389 % 1024, 1));
  CHECK(rig.blocks(0, true) == Blocks{2});
  rig.check_on_disk(2, 0, 1024);
}

TEST_CASE("a buffer is cleared before the first part of its block comes, and only then") {
  CacheRig rig(2);
  rig(rig.write(5, 8, 8));
  CHECK(rig.cache.cleared == 1);
  rig(rig.write(5, 16, 8));
  CHECK(rig.cache.cleared == 1);
  rig(rig.write(6, 0, 1024));  // leaves no byte of the earlier write
  CHECK(rig.cache.cleared == 1);
  rig(rig.read(7));  // takes the buffer of block 5, once that is on disk
  rig(rig.write(7, 8, 8));
  CHECK(rig.cache.cleared == 1);
  rig(rig.write(8, 0, 8));  // takes the buffer of block 6
  CHECK(rig.cache.cleared == 2);
  rig([](CacheRig& r) -> Task<> {
    Cache::Buffer* buffer = co_await obtain(r.cache, 0, 8);
    for (std::uint32_t i = 8; i < FirmwareRig::block; ++i) CHECK(r.bytes(*buffer)[i] == std::byte{0});
    r.cache.unpin(*buffer);
  }(rig));
}

TEST_CASE("the last block of a file is full when the file's bytes in it are written") {
  CacheRig rig(2, 3 * FirmwareRig::block + 100);
  rig(rig.write(3, 0, 100));
  CHECK(rig.blocks(0, true) == Blocks{3});
  CHECK(content::matches(0, 1, 3 * 1024, rig.on_disk(3).first(100)));
}

TEST_CASE("flushing a partly written block keeps the bytes around the written ones") {
  for (const auto& [from, bytes] : {std::pair{37u, 100u}, {0u, 1u}, {1023u, 1u}, {64u, 64u}, {1u, 1022u}}) {
    CacheRig rig(2);
    rig(rig.write(4, from, bytes));
    CHECK(rig.disk(0).log.empty());
    rig(rig.sync());
    CHECK(rig.disk(0).synchronisations == 1);
    rig(rig.sync());
    CHECK(rig.disk(0).synchronisations == 1);  // it has written nothing since
    CHECK(rig.blocks(0, false) == Blocks{4});
    CHECK(rig.blocks(0, true) == Blocks{4});
    rig.check_on_disk(4, from, from + bytes);
  }
}

TEST_CASE("a partly written block that was read before is flushed without reading it again") {
  CacheRig rig(2);
  rig(rig.read(4));
  rig(rig.write(4, 10, 20));
  rig(rig.sync());
  CHECK(rig.blocks(0, false) == Blocks{4});
  rig.check_on_disk(4, 10, 30);
}

TEST_CASE("a partly written block is replaced when the cache is full, and the bytes around the written ones are kept") {
  CacheRig rig(2);
  for (std::uint64_t b : {0, 1, 2, 3}) rig(rig.write(b, 100, 50));
  CHECK(rig.blocks(0, true) == Blocks{0, 1});
  rig(rig.sync());
  for (std::uint64_t b : {0, 1, 2, 3}) rig.check_on_disk(b, 100, 150);
}

TEST_CASE("bytes written while the rest of their block is being fetched are kept") {
  // The flush of bytes 0 to 99 reads the block; meanwhile bytes 200 to 299 are written.
  CacheRig rig(2);
  rig(rig.write(4, 0, 100));
  rig.io().spawn(rig.sync(), "sync");
  rig.machine.timeline.run(rig.io().now() + 500_us);
  CHECK(rig.blocks(0, false) == Blocks{4});
  rig.io().spawn(rig.write(4, 200, 100), "writer");
  rig.machine.timeline.run();
  rig(rig.sync());
  const auto bytes = rig.on_disk(4);
  CHECK(content::matches(0, 1, 4096, bytes.first(100)));
  CHECK(content::matches(0, 0, 4196, bytes.subspan(100, 100)));
  CHECK(content::matches(0, 1, 4296, bytes.subspan(200, 100)));
  CHECK(content::matches(0, 0, 4396, bytes.subspan(300)));
}

TEST_CASE("the written part of a block can be read without the disk, the rest cannot") {
  CacheRig rig(2);
  const auto read_part = [&](std::uint32_t offset, std::uint32_t bytes, std::uint32_t version) -> Task<> {
    Cache::Buffer* buffer = co_await obtain(rig.cache, 0, 6);
    while (!rig.cache.fetched(*buffer, offset, bytes)) co_await buffer->waiters.wait();
    CHECK(content::matches(0, version, 6 * 1024 + offset,
                           std::span<const std::byte>(rig.bytes(*buffer) + offset, bytes)));
    rig.cache.unpin(*buffer);
  };
  rig(rig.write(6, 100, 200));
  rig(read_part(150, 50, 1));
  CHECK(rig.disk(0).log.empty());
  rig(read_part(400, 50, 0));
  CHECK(rig.blocks(0, false) == Blocks{6});
  rig(read_part(100, 200, 1));
}

TEST_CASE("a request that finds all buffers in use waits until one is given back") {
  CacheRig rig(2);
  std::vector<int> order;
  os::WaitQueue gate(rig.io(), "the gate");
  const auto hold = [&](std::uint64_t b) -> Task<> {
    Cache::Buffer* buffer = co_await obtain(rig.cache, 0, b);
    co_await gate.wait();
    rig.cache.unpin(*buffer);
  };
  const auto want = [&](std::uint64_t b) -> Task<> {
    Cache::Buffer* buffer = co_await obtain(rig.cache, 0, b);
    order.push_back(static_cast<int>(b));
    rig.cache.unpin(*buffer);
  };
  rig.io().spawn(hold(0), "holder");
  rig.io().spawn(hold(1), "holder");
  for (std::uint64_t b : {2, 3, 4}) rig.io().spawn(want(b), "wanter");
  rig.machine.timeline.run();
  CHECK(order.empty());
  gate.wake_one();
  rig.machine.timeline.run();
  CHECK(order == std::vector{2, 3, 4});
  gate.wake_all();
  rig.machine.timeline.run();
}

TEST_CASE("a buffer that is given back wakes one thread, and the next one if that finds its block in the cache") {
  CacheRig rig(2);
  std::vector<std::uint64_t> got;
  int looks = 0;
  os::WaitQueue gate(rig.io(), "the gate");
  const auto hold = [&](std::uint64_t b) -> Task<> {
    Cache::Buffer* buffer;
    while (++looks, !(buffer = rig.cache.try_obtain(0, b))) co_await rig.cache.room(0, b);
    got.push_back(b);
    co_await gate.wait();
    rig.cache.unpin(*buffer);
  };
  for (std::uint64_t b : {0, 1, 2, 2, 3, 4}) rig.io().spawn(hold(b), "holder");
  rig.machine.timeline.run();
  CHECK(got == Blocks{0, 1});
  CHECK(looks == 6);
  gate.wake_one();
  rig.machine.timeline.run();
  CHECK(got == Blocks{0, 1, 2});
  CHECK(looks == 7);
  gate.wake_one();  // the second of block 2 is next
  rig.machine.timeline.run();
  CHECK(got == Blocks{0, 1, 2, 2, 3});
  CHECK(looks == 9);
  for (int left = 0; left < 4; ++left) {
    gate.wake_all();
    rig.machine.timeline.run();
  }
  CHECK(got == Blocks{0, 1, 2, 2, 3, 4});
}

TEST_CASE("two requests for the same missing block share one read of it") {
  CacheRig rig(2);
  rig.io().spawn(rig.read(7), "first");
  rig.io().spawn(rig.read(7), "second");
  rig.machine.timeline.run();
  CHECK(rig.blocks(0, false) == Blocks{7});
  CHECK(rig.cache.hits == 1);
}

TEST_CASE("the cache says what happens to its blocks") {
  using test::Lines;
  CacheRig rig(2);
  test::BlockNotes notes(rig.io());
  const auto said = [&] { return std::exchange(notes.lines, {}); };
  for (std::uint64_t b : {0, 0, 1, 2}) rig(rig.read(b));
  CHECK(said() == Lines{"miss 0", "hit 0", "miss 1", "evict 0", "miss 2"});
  rig(rig.write(5, 0, 1000));  // not full, so it stays
  CHECK(said() == Lines{"evict 1", "miss 5"});
  rig(rig.write(5, 1000, 24));
  CHECK(said() == Lines{"hit 5", "write back 5"});
  rig(rig.write(2, 0, 10));
  rig(rig.sync());
  CHECK(said() == Lines{"hit 2", "write back 2"});
  // A collective wants the block: it leaves the cache, after it has been written if it was changed.
  rig(rig.write(2, 0, 10));
  CHECK_FALSE(rig.cache.try_lock(0, 2));
  rig(rig.cache.lock(0, 2, false));
  CHECK(said() == Lines{"hit 2", "write back 2", "forget 2"});
  rig(rig.write(5, 0, 10));
  rig(rig.cache.lock(0, 5, true));
  CHECK(said() == Lines{"hit 5", "forget 5"});
  CHECK(rig.cache.try_lock(0, 7));  // no buffer holds it
  CHECK_FALSE(rig.cache.try_lock(0, 7));
}
