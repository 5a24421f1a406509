// SPDX-License-Identifier: MIT
#include "sw/file_systems/locking/lock_table.h"

#include <map>

#include "models/core/random.h"
#include "tests/support/catch.h"

namespace sunstar::file_systems::locking {
using striped::no_end;

namespace {

constexpr std::uint64_t page = 4096;

LockTable::Request pages(std::uint64_t first, std::uint64_t count, Mode mode = Mode::write) {
  return {{first * page, (first + count) * page}, mode};
}
Extent only(const LockTable::Steps& steps) {
  REQUIRE(steps.granted.size() == 1);
  return steps.granted.front().extent;
}

}  // namespace

TEST_CASE("a client that is alone gets a lock of the whole object") {
  LockTable table;
  CHECK(only(table.request(1, pages(7, 1))) == Extent{0, no_end});
}

TEST_CASE("a conflicting request waits until the holder, called back once, has returned its lock") {
  LockTable table;
  table.request(1, pages(0, 1));
  const auto second = table.request(2, pages(10, 1)), third = table.request(3, pages(20, 1));
  CHECK(second.granted.empty());
  CHECK(second.call_back == std::vector<LockTable::Id>{1});
  CHECK(third.call_back.empty());
  const auto after = table.release(1);
  REQUIRE(after.granted.size() == 2);
  // Each grows as far as the other lets it.
  CHECK(after.granted[0].extent == Extent{0, 20 * page});
  CHECK(after.granted[1].extent == Extent{20 * page, no_end});
  CHECK_FALSE(after.granted[0].called_back);
}

TEST_CASE("a lock for which others wait already says so when it is granted, and does not grow over them") {
  LockTable table;
  table.request(1, pages(0, 1));
  table.request(2, pages(0, 2));
  table.request(3, pages(1, 1));
  const auto after = table.release(1);
  REQUIRE(after.granted.size() == 1);
  CHECK(after.granted[0].id == 2);
  CHECK(after.granted[0].called_back);
  CHECK(after.granted[0].extent == Extent{0, 2 * page});
  CHECK(only(table.release(2)) == Extent{0, no_end});
}

TEST_CASE("readers share, and a writer waits for all of them") {
  LockTable table;
  CHECK(only(table.request(1, pages(0, 1, Mode::read))) == Extent{0, no_end});
  CHECK(only(table.request(2, pages(5, 1, Mode::read))) == Extent{0, no_end});
  CHECK(table.request(3, pages(9, 1)).call_back == std::vector<LockTable::Id>{1, 2});
  CHECK(table.release(1).granted.empty());
  CHECK(only(table.release(2)) == Extent{0, no_end});
}

TEST_CASE("with more than 4 conflicting locks one grows only forward, with more than 32 by 32 MiB at most") {
  LockTable table;
  LockTable::Id id = 0;
  const auto exact = [&](std::uint64_t page_number) {
    auto request = pages(page_number, 1);
    request.exact = true;
    table.request(++id, request);
  };
  for (std::uint64_t i = 0; i < 4; ++i) exact(i);
  CHECK(only(table.request(100, pages(1000, 1))) == Extent{4 * page, no_end});
  table.release(100);
  exact(4);
  CHECK(only(table.request(101, pages(1000, 1))) == Extent{1000 * page, no_end});
  table.release(101);
  for (std::uint64_t i = 5; i < 33; ++i) exact(i);
  CHECK(only(table.request(102, pages(1000, 1))) == Extent{1000 * page, 1000 * page + (32 << 20)});
  CHECK(only(table.request(103, pages(900, 1))) == Extent{900 * page, 1000 * page});
}

TEST_CASE("a request in advance is as wide as it says, and refused rather than kept waiting") {
  LockTable table;
  LockTable::Request ahead = pages(3, 2);
  ahead.exact = ahead.no_wait = true;
  CHECK(only(table.request(1, ahead)) == Extent{3 * page, 5 * page});
  const auto again = table.request(2, ahead);
  CHECK(again.refused);
  CHECK(again.call_back.empty());
  CHECK(table.locks() == 1);
}

TEST_CASE("at random, no two locks conflict, requests are granted in order, and in the end all are") {
  struct Lock {
    LockTable::Request request;
    std::optional<Extent> granted;
    bool called_back = false;
  };
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomStream random(seed, "locks");
    LockTable table;
    std::map<LockTable::Id, Lock> all;
    LockTable::Id next = 1;
    const auto overlap = [](const Extent& a, const Extent& b) { return a.begin < b.end && b.begin < a.end; };
    const auto take = [&](const LockTable::Steps& steps) {
      for (const LockTable::Id id : steps.call_back) {
        CHECK(all.at(id).granted);
        CHECK_FALSE(std::exchange(all.at(id).called_back, true));
      }
      for (const auto& grant : steps.granted) {
        Lock& lock = all.at(grant.id);
        CHECK(grant.extent.covers(lock.request.extent));
        for (const auto& [id, other] : all) {
          if (id == grant.id || compatible(other.request.mode, lock.request.mode)) continue;
          if (other.granted) CHECK_FALSE(overlap(*other.granted, grant.extent));
          else if (id < grant.id) CHECK_FALSE(overlap(other.request.extent, lock.request.extent));
        }
        lock.granted = grant.extent;
        lock.called_back = grant.called_back;
      }
    };
    for (int step = 0; step < 400; ++step) {
      if (random.below(2) == 0) {
        auto request = pages(random.below(60), 1 + random.below(8), random.below(3) == 0 ? Mode::read : Mode::write);
        request.exact = random.below(3) == 0;
        all[next].request = request;
        take(table.request(next, request));
        ++next;
      } else if (!all.empty()) {
        auto one = std::next(all.begin(), static_cast<std::ptrdiff_t>(random.below(all.size())));
        const LockTable::Id id = one->first;  // one that waits is withdrawn
        all.erase(one);
        take(table.release(id));
      }
    }
    while (!all.empty()) {
      const auto first = all.begin();
      CHECK(first->second.granted);
      const LockTable::Id id = first->first;
      all.erase(first);
      take(table.release(id));
    }
    CHECK(table.empty());
  }
}

}  // namespace sunstar::file_systems::locking
