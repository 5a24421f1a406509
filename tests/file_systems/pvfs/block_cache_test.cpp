// SPDX-License-Identifier: MIT
#include "sw/file_systems/pvfs/module/block_cache.h"

#include <algorithm>
#include <list>
#include <map>
#include <optional>
#include <utility>

#include "models/core/random.h"
#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::file_systems::pvfs;

using HarvestOutcome = BlockCache::Harvest::Outcome;

namespace {

constexpr std::uint32_t rig_block_bytes = 16;

struct BlockCacheRig {
  explicit BlockCacheRig(std::uint32_t blocks, const std::string& policy = "lru")
      : bytes(blocks * rig_block_bytes),
        memory(bytes.data(), bytes.size()),
        cache(memory, bytes.data(), blocks, rig_block_bytes, policy) {}

  Block& allocate(std::uint64_t number, std::uint32_t file = 0) {
    Block* const block = cache.allocate({file, number});
    REQUIRE(block);
    return *block;
  }
  /// Allocates a block all of whose bytes are valid and clean.
  Block& clean(std::uint64_t number, std::uint32_t file = 0) {
    Block& block = allocate(number, file);
    block.add_valid({0, rig_block_bytes});
    return block;
  }
  Block& dirty(std::uint64_t number, std::uint32_t file = 0) {
    Block& block = allocate(number, file);
    cache.mark_dirty(block, {0, rig_block_bytes});
    return block;
  }

  std::uint32_t arrived(const BlockCache::Fetch& fetch, std::uint32_t offset, const std::vector<std::byte>& data) {
    const content::Content content(data);
    return cache.arrived(fetch, offset, content, 0, content.size());
  }

  std::vector<std::byte> bytes;
  content::Memory memory;
  BlockCache cache;
};

ByteRanges byte_set(std::initializer_list<ByteRange> list) {
  ByteRanges all;
  for (const ByteRange r : list) all.add(r);
  return all;
}

std::vector<std::byte> filled(int value, std::size_t count) {
  return std::vector<std::byte>(count, static_cast<std::byte>(value));
}

std::vector<std::uint64_t> block_numbers(const BlockCache::Batch& batch) {
  std::vector<std::uint64_t> all;
  for (const Block* b : batch.blocks) all.push_back(b->key().number);
  return all;
}

enum class BlockState : std::uint8_t {
  pending,  // some of its bytes are on their way from the server, and none has to go there
  clean,    // nothing is on its way; not all bytes need be valid
  dirty     // the server does not have all of its bytes yet; others may still be on their way from there
};
BlockState state(const Block& b) {
  if (!b.dirty().empty() || b.flushing()) return BlockState::dirty;
  return b.pending() ? BlockState::pending : BlockState::clean;
}

}  // namespace

TEST_CASE("a set of bytes joins ranges that overlap or touch, and cuts out what is removed") {
  ByteRanges set;
  set.add({4, 6});
  set.add({10, 12});
  CHECK(set == byte_set({{4, 6}, {10, 12}}));
  set.add({6, 8});  // touches the first
  CHECK(std::vector<ByteRange>(set.begin(), set.end()) == std::vector<ByteRange>{{4, 8}, {10, 12}});
  CHECK(set.bytes() == 6);
  set.add({7, 11});  // joins both
  CHECK(std::vector<ByteRange>(set.begin(), set.end()) == std::vector<ByteRange>{{4, 12}});
  set.add({5, 5});
  CHECK(set.count() == 1);
  CHECK(set.covers({4, 12}));
  CHECK(set.covers({20, 20}));
  CHECK_FALSE(set.covers({3, 5}));
  CHECK_FALSE(set.covers({11, 13}));
  set.remove({6, 7});
  CHECK(std::vector<ByteRange>(set.begin(), set.end()) == std::vector<ByteRange>{{4, 6}, {7, 12}});
  CHECK_FALSE(set.covers({5, 8}));
  set.remove({0, 5});
  set.remove({11, 16});
  CHECK(std::vector<ByteRange>(set.begin(), set.end()) == std::vector<ByteRange>{{5, 6}, {7, 11}});
  set.remove({5, 11});
  CHECK(set.empty());
}

TEST_CASE("blocks come from the free list until it is empty, and are found by file and number") {
  BlockCacheRig rig(2);
  CHECK(rig.cache.free_blocks() == 2);
  CHECK_FALSE(rig.cache.find({0, 7}));
  Block& one = rig.allocate(7, 0);
  Block& other = rig.allocate(7, 1);
  CHECK(one.data() != other.data());
  CHECK(rig.cache.free_blocks() == 0);
  CHECK(rig.cache.find({0, 7}) == &one);
  CHECK(rig.cache.find({1, 7}) == &other);
  CHECK_FALSE(rig.cache.find({2, 7}));
  CHECK_FALSE(rig.cache.allocate({0, 8}));
  CHECK(state(one) == BlockState::clean);  // though nothing in it is valid
  CHECK(one.valid().empty());
}

TEST_CASE("of a block that was partly written, a read fetches only the bytes that are missing") {
  BlockCacheRig rig(2);
  Block& b = rig.allocate(3);
  rig.cache.mark_dirty(b, {4, 8});
  CHECK(b.dirty() == byte_set({{4, 8}}));
  CHECK(b.valid() == byte_set({{4, 8}}));
  CHECK(rig.cache.missing(b, {5, 7}).empty());
  CHECK(rig.cache.missing(b, {2, 16}) == byte_set({{2, 4}, {8, 16}}));
  // Another reader only waits for bytes that one has asked for.
  rig.cache.expect(b, byte_set({{8, 12}}));
  CHECK(rig.cache.missing(b, {2, 16}) == byte_set({{2, 4}, {12, 16}}));
  CHECK_FALSE(b.valid().covers({8, 12}));
}

TEST_CASE("a block is pending until all requested bytes have arrived") {
  BlockCacheRig rig(1);
  Block& b = rig.allocate(3);
  const auto fetch = rig.cache.expect(b, byte_set({{0, 16}}));
  CHECK(state(b) == BlockState::pending);
  CHECK(rig.arrived(fetch, 8, filled(2, 8)) == 8);
  CHECK(state(b) == BlockState::pending);
  CHECK(rig.arrived(fetch, 0, filled(1, 8)) == 8);
  CHECK(state(b) == BlockState::clean);
  CHECK(b.valid().covers({0, 16}));
  CHECK(b.data()[7] == std::byte{1});
  CHECK(b.data()[8] == std::byte{2});
}

TEST_CASE("arriving bytes do not replace bytes written after the request for them") {
  BlockCacheRig rig(1);
  Block& b = rig.allocate(3);
  const auto fetch = rig.cache.expect(b, byte_set({{0, 16}}));
  std::fill_n(b.data() + 4, 4, std::byte{9});
  rig.cache.mark_dirty(b, {4, 8});
  CHECK(state(b) == BlockState::dirty);
  CHECK(rig.arrived(fetch, 0, filled(1, 16)) == 12);
  CHECK(b.data()[3] == std::byte{1});
  CHECK(b.data()[4] == std::byte{9});
  CHECK(b.data()[7] == std::byte{9});
  CHECK(b.data()[8] == std::byte{1});
  CHECK(b.dirty() == byte_set({{4, 8}}));
}

TEST_CASE("bytes written while a block is flushed stay dirty, and the block goes to the end of the dirty list") {
  BlockCacheRig rig(3);
  Block& first = rig.dirty(1);
  Block& second = rig.dirty(5);
  CHECK(rig.cache.dirty_blocks() == 2);
  CHECK(rig.cache.start_flush(first) == byte_set({{0, 16}}));
  CHECK(state(first) == BlockState::dirty);
  CHECK(rig.cache.dirty_blocks() == 1);
  rig.cache.mark_dirty(first, {2, 3});
  CHECK(rig.cache.dirty_blocks() == 2);
  CHECK(block_numbers(rig.cache.oldest_dirty(9)) == std::vector<std::uint64_t>{5});
  first.sent();
  CHECK(state(first) == BlockState::dirty);
  CHECK(first.dirty() == byte_set({{2, 3}}));
  CHECK(first.valid().covers({0, 16}));
  rig.cache.start_flush(second);
  CHECK(block_numbers(rig.cache.oldest_dirty(9)) == std::vector<std::uint64_t>{1});
  second.sent();
  CHECK(state(second) == BlockState::clean);
  rig.cache.start_flush(first);
  CHECK(rig.cache.oldest_dirty(9).blocks.empty());
  first.sent();
  CHECK(state(first) == BlockState::clean);
  CHECK(rig.cache.dirty_blocks() == 0);
}

TEST_CASE("the flusher gets the oldest dirty block and those next to it in its file") {
  BlockCacheRig rig(12);
  rig.dirty(6);
  rig.dirty(20);
  for (const std::uint64_t number : {8, 7, 4, 5, 2}) rig.dirty(number);
  rig.dirty(9, 1);  // of another file
  rig.clean(3);
  // 6 is the oldest; 7 and 8 follow, 5 and 4 precede; 3 is clean.
  CHECK(block_numbers(rig.cache.oldest_dirty(9)) == std::vector<std::uint64_t>{4, 5, 6, 7, 8});
  CHECK(block_numbers(rig.cache.oldest_dirty(4)) == std::vector<std::uint64_t>{5, 6, 7, 8});
  CHECK(block_numbers(rig.cache.oldest_dirty(2)) == std::vector<std::uint64_t>{6, 7});
  CHECK(block_numbers(rig.cache.oldest_dirty(1)) == std::vector<std::uint64_t>{6});
  // Blocks 4 to 7 are on one server, say.
  CHECK(block_numbers(rig.cache.oldest_dirty(9, 4)) == std::vector<std::uint64_t>{4, 5, 6, 7});
  CHECK(block_numbers(rig.cache.oldest_dirty(9, 2)) == std::vector<std::uint64_t>{6, 7});
  CHECK(block_numbers(rig.cache.oldest_dirty(9, 1)) == std::vector<std::uint64_t>{6});
  rig.cache.start_flush(*rig.cache.find({0, 6}));
  rig.cache.start_flush(*rig.cache.find({0, 7}));
  CHECK(block_numbers(rig.cache.oldest_dirty(9)) == std::vector<std::uint64_t>{20});
}

TEST_CASE("the first block of a file has none before it") {
  BlockCacheRig rig(3);
  rig.dirty(1);
  rig.dirty(0);
  CHECK(block_numbers(rig.cache.oldest_dirty(3)) == std::vector<std::uint64_t>{0, 1});
}

TEST_CASE("an invalidated clean block is freed, and bytes on their way for it are ignored") {
  BlockCacheRig rig(1);
  CHECK_FALSE(rig.cache.invalidate({0, 3}));
  rig.clean(3);
  CHECK(rig.cache.invalidate({0, 3}));
  CHECK(rig.cache.free_blocks() == 1);
  CHECK_FALSE(rig.cache.find({0, 3}));

  const auto fetch = rig.cache.expect(rig.allocate(3), byte_set({{0, 16}}));
  CHECK(rig.cache.invalidate({0, 3}));
  CHECK(rig.cache.free_blocks() == 1);
  Block& later = rig.allocate(4);  // the same buffer
  const auto other = rig.cache.expect(later, byte_set({{0, 16}}));
  CHECK(rig.arrived(fetch, 0, filled(1, 16)) == 0);
  CHECK(later.valid().empty());
  CHECK(rig.arrived(other, 0, filled(2, 16)) == 16);
  CHECK(later.data()[0] == std::byte{2});
}

TEST_CASE("a pinned block that is invalidated stays, but its bytes must be fetched again") {
  BlockCacheRig rig(1);
  Block& b = rig.clean(3);
  b.pin();
  CHECK(rig.cache.invalidate({0, 3}));
  CHECK(rig.cache.find({0, 3}) == &b);
  CHECK(rig.cache.missing(b, {0, 16}) == byte_set({{0, 16}}));
  const auto stale = rig.cache.expect(b, byte_set({{0, 16}}));
  CHECK(rig.cache.invalidate({0, 3}));
  const auto fresh = rig.cache.expect(b, byte_set({{0, 16}}));
  CHECK(rig.arrived(stale, 0, filled(1, 16)) == 0);
  CHECK(b.pending());
  CHECK(rig.arrived(fresh, 0, filled(2, 16)) == 16);
  CHECK(b.data()[5] == std::byte{2});
  b.unpin();
}

TEST_CASE("of an invalidated dirty block, only the bytes that have yet to reach the server stay") {
  BlockCacheRig rig(1);
  Block& b = rig.clean(3);
  rig.cache.mark_dirty(b, {2, 4});
  rig.cache.start_flush(b);
  rig.cache.mark_dirty(b, {8, 10});
  CHECK(rig.cache.invalidate({0, 3}));
  CHECK(rig.cache.free_blocks() == 0);
  CHECK(b.valid() == byte_set({{2, 4}, {8, 10}}));
  CHECK(b.dirty() == byte_set({{8, 10}}));
  CHECK(b.flushing());
  CHECK(block_numbers(rig.cache.oldest_dirty(1)).empty());
  b.sent();
  CHECK(block_numbers(rig.cache.oldest_dirty(1)) == std::vector<std::uint64_t>{3});
}

TEST_CASE("a freed block forgets what it held") {
  BlockCacheRig rig(1);
  rig.clean(3);
  CHECK(rig.cache.harvest().outcome == HarvestOutcome::freed);
  Block& b = rig.allocate(4);
  CHECK(b.valid().empty());
  CHECK(rig.cache.missing(b, {0, 16}) == byte_set({{0, 16}}));
}

namespace {

/// A cache that is simple and slow: a set of flags for each byte, a list of keys in order of first dirtying.
struct ReferenceCache {
  struct Byte {
    bool valid = false, awaited = false, dirty = false, flushing = false;
    std::byte value{};
  };
  struct Entry {
    std::vector<Byte> bytes = std::vector<Byte>(rig_block_bytes);
    std::uint32_t pins = 0;
    bool any(bool Byte::*flag) const { return std::ranges::any_of(bytes, flag); }
    bool replaceable() const { return pins == 0 && !any(&Byte::awaited) && !any(&Byte::flushing); }
    bool clean() const { return !any(&Byte::dirty) && !any(&Byte::flushing); }
  };
  using Key = std::pair<std::uint32_t, std::uint64_t>;
  std::map<Key, Entry> entries;
  std::list<Key> dirty;

  bool can_flush(Key key) const {
    const auto e = entries.find(key);
    return e != entries.end() && e->second.any(&Byte::dirty) && !e->second.any(&Byte::flushing);
  }
  std::vector<std::uint64_t> oldest_dirty(std::size_t most) const {
    for (const Key& key : dirty) {
      if (!can_flush(key)) continue;
      std::list<std::uint64_t> batch{key.second};
      while (batch.size() < most && can_flush({key.first, batch.back() + 1})) batch.push_back(batch.back() + 1);
      while (batch.size() < most && batch.front() > 0 && can_flush({key.first, batch.front() - 1}))
        batch.push_front(batch.front() - 1);
      return {batch.begin(), batch.end()};
    }
    return {};
  }
};

/// Random calls of a cache and of the reference, side by side.
struct SideBySide {
  static constexpr std::uint32_t blocks = 6;
  using Key = ReferenceCache::Key;
  using Byte = ReferenceCache::Byte;
  struct Flight {
    Key key;
    BlockCache::Fetch fetch;
    ByteRange range;
    bool ignored = false;
  };

  SideBySide(const std::string& policy, std::uint64_t seed) : rig(blocks, policy), random(seed, policy) {}

  Key any_key() { return {static_cast<std::uint32_t>(random.below(2)), random.below(6)}; }
  ByteRange any_range() {
    const auto from = static_cast<std::uint32_t>(random.below(rig_block_bytes));
    return {from, from + static_cast<std::uint32_t>(random.below(rig_block_bytes - from + 1))};
  }
  Block* block(Key key) { return rig.cache.find({key.first, key.second}); }
  std::byte any_byte() { return static_cast<std::byte>(random.below(256)); }

  void step() {
    const Key key = any_key();
    Block* const b = block(key);
    const auto entry = reference.entries.find(key);
    REQUIRE((b != nullptr) == (entry != reference.entries.end()));
    switch (random.below(10)) {
      case 0:
      case 1: return write(key, b);
      case 2:
      case 3: return read(key, b);
      case 4: return arrive();
      case 5: return flush();
      case 6: return end_flush(key, b);
      case 7: return harvest();
      case 8:
        if (b && random.below(2)) {
          b->pin();
          ++entry->second.pins;
        } else if (b && entry->second.pins > 0) {
          b->unpin();
          --entry->second.pins;
        }
        return;
      default:
        if (random.below(3) == 0) invalidate(key, b);
    }
  }

  Block* get(Key key, Block* b) {
    if (b) {
      rig.cache.touch(*b);
      return b;
    }
    b = rig.cache.allocate({key.first, key.second});
    REQUIRE((b == nullptr) == (reference.entries.size() == blocks));
    if (b) reference.entries.emplace(key, ReferenceCache::Entry{});
    return b;
  }

  void write(Key key, Block* b) {
    b = get(key, b);
    if (!b) return;
    const ByteRange range = any_range();
    auto& entry = reference.entries.at(key);
    if (range.bytes() > 0 && !entry.any(&Byte::dirty)) reference.dirty.push_back(key);
    for (auto i = range.from; i < range.to; ++i) {
      entry.bytes[i].valid = entry.bytes[i].dirty = true;
      b->data()[i] = entry.bytes[i].value = any_byte();
    }
    rig.cache.mark_dirty(*b, range);
  }

  void read(Key key, Block* b) {
    b = get(key, b);
    if (!b) return;
    const ByteRange range = any_range();
    auto& entry = reference.entries.at(key);
    const ByteRanges missing = rig.cache.missing(*b, range);
    ByteRanges expected;
    for (auto i = range.from; i < range.to; ++i)
      if (!entry.bytes[i].valid && !entry.bytes[i].awaited) expected.add({i, i + 1});
    REQUIRE(missing == expected);
    if (missing.empty()) return;
    const auto fetch = rig.cache.expect(*b, missing);
    for (const ByteRange r : missing) {
      flights.push_back({key, fetch, r});
      for (auto i = r.from; i < r.to; ++i) entry.bytes[i].awaited = true;
    }
  }

  void arrive() {
    if (flights.empty()) return;
    const auto chosen = std::next(flights.begin(), static_cast<std::ptrdiff_t>(random.below(flights.size())));
    const Flight flight = *chosen;
    flights.erase(chosen);
    std::vector<std::byte> data(flight.range.bytes());
    for (auto& d : data) d = any_byte();
    std::uint32_t put = 0;
    if (!flight.ignored)
      for (auto i = flight.range.from; i < flight.range.to; ++i) {
        Byte& byte = reference.entries.at(flight.key).bytes[i];
        byte.awaited = false;
        if (byte.valid) continue;
        byte.valid = true;
        byte.value = data[i - flight.range.from];
        ++put;
      }
    REQUIRE(rig.arrived(flight.fetch, flight.range.from, data) == put);
  }

  void flush() {
    const auto most = static_cast<std::uint32_t>(1 + random.below(4));
    const auto batch = rig.cache.oldest_dirty(most);
    REQUIRE(block_numbers(batch) == reference.oldest_dirty(most));
    for (Block* b : batch.blocks) {
      const Key key{b->key().file, b->key().number};
      ByteRanges expected;
      auto& bytes = reference.entries.at(key).bytes;
      for (std::uint32_t i = 0; i < rig_block_bytes; ++i)
        if (std::exchange(bytes[i].dirty, false)) {
          bytes[i].flushing = true;
          expected.add({i, i + 1});
        }
      reference.dirty.remove(key);
      REQUIRE(rig.cache.start_flush(*b) == expected);
    }
  }

  void end_flush(Key key, Block* b) {
    if (!b || !b->flushing()) return;
    b->sent();
    for (Byte& byte : reference.entries.at(key).bytes) byte.flushing = false;
  }

  void harvest() {
    const auto harvest = rig.cache.harvest();
    const Key key{harvest.key.file, harvest.key.number};
    const auto& all = reference.entries;
    const bool clean_there =
        std::ranges::any_of(all, [](const auto& e) { return e.second.replaceable() && e.second.clean(); });
    const bool any_there = std::ranges::any_of(all, [](const auto& e) { return e.second.replaceable(); });
    REQUIRE(harvest.outcome == (clean_there ? HarvestOutcome::freed
                                : any_there ? HarvestOutcome::dirty
                                            : HarvestOutcome::none));
    if (!any_there) return;
    REQUIRE(all.at(key).replaceable());
    REQUIRE(harvest.steps >= 1);
    REQUIRE(all.at(key).clean() == clean_there);
    REQUIRE((block(key) == nullptr) == clean_there);
    if (clean_there) reference.entries.erase(key);
  }

  void invalidate(Key key, Block* b) {
    REQUIRE(rig.cache.invalidate({key.first, key.second}) == (b != nullptr));
    if (!b) return;
    auto& entry = reference.entries.at(key);
    for (Byte& byte : entry.bytes) {
      byte.awaited = false;
      byte.valid = byte.dirty || byte.flushing;
    }
    for (Flight& f : flights)
      if (f.key == key) f.ignored = true;
    const bool gone = entry.pins == 0 && !entry.any(&Byte::valid);
    REQUIRE((block(key) == nullptr) == gone);
    if (gone) reference.entries.erase(key);
  }

  void compare() {
    REQUIRE(rig.cache.free_blocks() == blocks - reference.entries.size());
    REQUIRE(rig.cache.dirty_blocks() == reference.dirty.size());
    std::size_t seen = 0;
    rig.cache.for_each([&](const Block& b) {
      ++seen;
      const auto& entry = reference.entries.at({b.key().file, b.key().number});
      REQUIRE(b.pins() == entry.pins);
      REQUIRE((b.replaceable() != Block::Replaceable::no) == entry.replaceable());
      const BlockState expected = !entry.clean()              ? BlockState::dirty
                                  : entry.any(&Byte::awaited) ? BlockState::pending
                                                              : BlockState::clean;
      REQUIRE(state(b) == expected);
      for (std::uint32_t i = 0; i < rig_block_bytes; ++i) {
        const Byte& byte = entry.bytes[i];
        const ByteRange one{i, i + 1};
        const bool same = b.valid().covers(one) == byte.valid && b.awaited().covers(one) == byte.awaited &&
                          b.dirty().covers(one) == byte.dirty && (!byte.valid || b.data()[i] == byte.value);
        if (!same) FAIL("byte " << i << " of block " << b.key().number);
      }
    });
    REQUIRE(seen == reference.entries.size());
  }

  BlockCacheRig rig;
  RandomStream random;
  ReferenceCache reference;
  std::vector<Flight> flights;
};

}  // namespace

TEST_CASE("after any calls in any order, every byte is as in a cache that keeps flags for each byte") {
  for (const std::string& policy : io::replacement_parameter().allowed)
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      INFO(policy << ", seed " << seed);
      SideBySide both(policy, seed);
      for (int i = 0; i < 2000; ++i) {
        both.step();
        both.compare();
      }
    }
}

TEST_CASE("bytes that will not come are missing again, unless the block has been invalidated meanwhile") {
  BlockCacheRig rig(2);
  Block& block = rig.allocate(0);
  const BlockCache::Fetch fetch = rig.cache.expect(block, ByteRanges({0, 16}));
  CHECK(rig.cache.failed(fetch, {4, 16}));
  CHECK(block.pending());
  CHECK(rig.cache.missing(block, {0, 16}) == ByteRanges({4, 16}));
  CHECK(block.valid().empty());
  block.pin();
  rig.cache.invalidate({0, 0});
  rig.cache.expect(block, ByteRanges({0, 4}));
  CHECK_FALSE(rig.cache.failed(fetch, {0, 4}));
  CHECK(block.pending());
}
