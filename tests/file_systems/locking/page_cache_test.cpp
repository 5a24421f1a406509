// SPDX-License-Identifier: MIT
#include "sw/file_systems/locking/page_cache.h"

#include <set>

#include "tests/support/catch.h"
#include "tests/support/endpoints.h"
#include "tests/support/fake_store.h"

using namespace sunstar;
using file_systems::locking::PageCache;

namespace {

constexpr std::uint32_t stripe_bytes = 4 * 4096;

/// A cache with room for three stripes of a file that lies on two units: its stripes go to two objects in turn.
struct PageCacheRig {
  test::FakeMachine machine{2};
  test::Endpoints endpoints{machine, test::free_of_charge()};
  std::unique_ptr<io::Store> store = test::plain_store(machine, 1, 1, 2, 1000);
  io::Volume volume{*store, stripe_bytes};
  PageCache cache{endpoints.os(0), volume, 3 * stripe_bytes};

  PageCacheRig() { volume.add({.bytes = 100 * stripe_bytes, .on_unit = {}}); }
  /// The stripe with all its pages.
  PageCache::Stripe& whole(std::uint64_t number) {
    PageCache::Stripe* const stripe = cache.obtain({0, number}, stripe_bytes);
    REQUIRE(stripe);
    cache.add_valid(*stripe, {0, stripe_bytes});
    return *stripe;
  }
  std::set<std::uint64_t> held() const {
    std::set<std::uint64_t> numbers;
    cache.for_each([&](const PageCache::Stripe& stripe) { numbers.insert(stripe.key().number); });
    return numbers;
  }
};

}  // namespace

TEST_CASE("the stripe of pages used longest ago makes room, unless it is pinned, changed or on its way") {
  PageCacheRig rig;
  PageCache::Stripe& zero = rig.whole(0);
  PageCache::Stripe& one = rig.whole(1);
  rig.whole(2);
  rig.cache.add_dirty(one, {10, 20});
  rig.cache.obtain({0, 0}, 0);  // used again
  rig.whole(3);
  CHECK(rig.held() == std::set<std::uint64_t>{0, 1, 3});
  zero.pin();
  rig.whole(4);
  CHECK(rig.held() == std::set<std::uint64_t>{0, 1, 4});
  rig.cache.obtain({0, 4}, 0)->pin();
  CHECK_FALSE(rig.cache.obtain({0, 5}, stripe_bytes));
  const auto taken = rig.cache.take({0, 1}, {0, file_systems::striped::no_end}, 1 << 20);
  CHECK(one.dirty().empty());
  CHECK_FALSE(rig.cache.obtain({0, 5}, stripe_bytes));
  one.sent();
  CHECK(rig.cache.obtain({0, 5}, stripe_bytes));
  CHECK(rig.held() == std::set<std::uint64_t>{0, 4, 5});
}

TEST_CASE("changed bytes of an object leave in whole pages, in the order of its stripes, as far as a request goes") {
  PageCacheRig rig;
  const file_systems::striped::ObjectId object{0, 0};
  rig.cache.add_dirty(rig.whole(2), {0, 5000});
  rig.cache.add_dirty(rig.whole(0), {4000, 4200});
  rig.cache.add_dirty(rig.whole(1), {0, 100});  // of the other object
  CHECK(rig.cache.dirty_bytes(object) == 5200);
  CHECK(rig.cache.changed().size() == 2);
  const auto taken = rig.cache.take(object, {0, file_systems::striped::no_end}, 3 * 4096);
  REQUIRE(taken.size() == 2);
  CHECK(taken[0].stripe->key().number == 0);
  CHECK(taken[0].pages == io::ByteRange{0, 8192});
  CHECK(taken[1].stripe->key().number == 2);
  CHECK(taken[1].pages == io::ByteRange{0, 4096});
  CHECK(rig.cache.dirty_bytes(object) == 5000 - 4096);
  CHECK(rig.cache.changed().front() == object);
  CHECK(rig.cache.sending(object, {0, stripe_bytes}));
  CHECK_FALSE(rig.cache.dirty_in(object, {0, stripe_bytes}));
  CHECK(rig.cache.dirty_in(object, {stripe_bytes, file_systems::striped::no_end}));
  std::uint64_t lost = 0;
  rig.cache.forget(object, [&](const PageCache::Stripe&, io::ByteRange range) { lost += range.bytes(); });
  CHECK(lost == 5000 - 4096);
  CHECK(rig.cache.changed() == std::vector<file_systems::striped::ObjectId>{{0, 1}});
  CHECK(rig.held() == std::set<std::uint64_t>{0, 1, 2});  // 0 and 2 are still on their way
  for (const PageCache::Taken& one : taken) one.stripe->sent();
  rig.cache.drop(object, {0, file_systems::striped::no_end});
  CHECK(rig.held() == std::set<std::uint64_t>{1});
}
