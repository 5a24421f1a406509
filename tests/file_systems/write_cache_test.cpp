// SPDX-License-Identifier: MIT
#include "sw/file_systems/enwrich/write_cache.h"

#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::literals;
using namespace sunstar::file_systems::enwrich;

namespace {

constexpr std::uint32_t block = 1024;

/// A tenth of 10,000 bytes for the directory: 41 entries of 24; 9,000 bytes of data.
WriteCacheParams small() {
  WriteCacheParams params;
  params.cache_size = {10'000};
  return params;
}

/// Appends as much of the write as fits, and returns its length.
std::uint32_t put(WriteCache& cache, std::uint64_t time, std::uint64_t offset, std::uint64_t bytes) {
  const auto room = cache.room(offset, bytes);
  if (room.bytes > 0) cache.append({0, 0, room.bytes, time, offset});
  return room.bytes;
}

int number_flushing(const WriteCache& cache) {
  int n = 0;
  cache.for_each_flushing([&](const DirectoryEntry&) { ++n; });
  return n;
}
int number_held(const WriteCache& cache) {
  int n = 0;
  cache.for_each_held([&](const DirectoryEntry&) { ++n; });
  return n;
}

}  // namespace

TEST_CASE("a tenth of the default cache of 1 MiB holds 4369 entries of 24 bytes, the rest 943,719 bytes") {
  const WriteCache cache(WriteCacheParams{}, 8192);
  CHECK(cache.most_entries() == 104'857 / 24);
  CHECK(cache.data_ring() == (1 << 20) - 104'857);
}

TEST_CASE("a cache is full when either of its parts is full, and says which") {
  WriteCache cache(small(), block);
  for (int i = 0; i < 41; ++i) REQUIRE(put(cache, 1 + i, 8 * i, 8) == 8);
  CHECK(cache.room(0, 8).bytes == 0);
  CHECK(cache.room(0, 8).directory_is_full);
  WriteCache other(small(), block);
  for (int i = 0; i < 9; ++i) REQUIRE(put(other, 1 + i, 1000 * i, 1000) == 1000);
  CHECK(other.room(9000, 8).bytes == 0);
  CHECK_FALSE(other.room(9000, 8).directory_is_full);
  CHECK(other.fullness() == 1);
}

TEST_CASE("with a shared division, the cache is full when the parts meet") {
  auto params = small();
  params.division = CacheDivision::shared;
  WriteCache cache(params, block);
  // 8 bytes and 24 of directory each: 312 of them take 9984 bytes of 10,000.
  std::uint64_t n = 0;
  while (put(cache, 1 + n, 8 * n, 8) == 8) ++n;
  CHECK(n == 312);
}

TEST_CASE("a long write is cut where the last block that fits ends") {
  WriteCache cache(small(), block);
  // From 100 on: 9000 bytes reach to 9100, and the last whole block ends at 8192 = 8 x 1024, after 8092 bytes.
  CHECK(cache.room(100, 1 << 20).bytes == 8092);
  put(cache, 1, 100, 1 << 20);
  CHECK(cache.room(8192, 1 << 20).bytes == 0);  // 908 bytes are left: half a block is not worth two flushes
  CHECK(cache.room(0, 900).bytes == 900);
}

TEST_CASE("a write larger than a cache that holds no block still goes in, part by part") {
  auto params = small();
  params.cache_size = {1000};
  WriteCache cache(params, block);
  CHECK(cache.room(0, 5000).bytes == 900);
}

TEST_CASE("a flush finds its entries by their time stamps, with the position of their data, and no others") {
  WriteCache cache(small(), block);
  put(cache, 10, 500, 100);
  put(cache, 20, 0, 50);
  CHECK_FALSE(cache.flushing(10));
  cache.begin_flush();
  put(cache, 30, 50, 50);
  CHECK(cache.flushing(10)->data == 0);
  CHECK(cache.flushing(20)->data == 100);
  CHECK(cache.flushing(20)->entry.offset == 0);
  CHECK_FALSE(cache.flushing(15));
  CHECK_FALSE(cache.flushing(30));
  CHECK_FALSE(cache.flushing(40));
}

TEST_CASE("the ring goes on at its beginning when its end has been filled exactly") {
  WriteCache cache(small(), block);
  REQUIRE(put(cache, 1, 0, 1024) == 1024);
  cache.begin_flush();
  REQUIRE(put(cache, 2, 1024, 9000 - 1024) == 9000 - 1024);
  cache.end_flush();
  CHECK(cache.room(0, 2000).bytes == 1024);
  CHECK(cache.append({0, 0, 1024, 3, 0}) == 0);
}

TEST_CASE("a flush removes the entries that were there when it began, and later ones stay in place") {
  WriteCache cache(small(), block);
  put(cache, 1, 0, 1000);
  put(cache, 2, 1000, 1000);
  cache.begin_flush();
  put(cache, 3, 2000, 500);
  CHECK(number_flushing(cache) == 2);
  cache.end_flush();
  CHECK(cache.entries() == 1);
  CHECK(cache.data_bytes() == 500);
  cache.begin_flush();
  CHECK(cache.flushing(3)->data == 2000);
  // The ring's end is at 9000: an entry's data lie in one run, so 6500 bytes fit, then the rest at its beginning.
  CHECK(cache.room(0, 8 * 1024).bytes == 6500);
}

TEST_CASE("a flush of one file leaves the others, and its room is free when all entries before it are gone") {
  WriteCache cache(small(), block);
  const auto of_file = [&](std::uint64_t time, std::uint16_t file) { cache.append({0, file, 1000, time, 0}); };
  of_file(1, 7);
  of_file(2, 8);
  of_file(3, 7);
  cache.begin_flush(8);
  of_file(4, 8);  // comes too late for this flush
  CHECK(number_flushing(cache) == 1);
  CHECK(cache.flushing(2));
  CHECK_FALSE(cache.flushing(1));
  cache.end_flush();
  CHECK_FALSE(cache.flushing(2));
  CHECK(number_held(cache) == 3);
  CHECK(cache.data_bytes() == 4000);
  cache.begin_flush(7);
  cache.end_flush();
  CHECK(cache.data_bytes() == 1000);
  cache.begin_flush();
  CHECK(cache.flushing(4));
  cache.end_flush();
  CHECK(cache.data_bytes() == 0);
}
