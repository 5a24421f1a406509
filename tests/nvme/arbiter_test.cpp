// SPDX-License-Identifier: MIT
#include "models/nvme/controller.h"

#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::nvme;

TEST_CASE("submission queues take turns, and one with many commands does not keep another waiting") {
  Arbiter arbiter(3);
  for (std::uint64_t n : {1, 2, 3}) arbiter.add(0, {Time{}, 0, n});
  arbiter.add(2, {Time{}, 0, 4});
  arbiter.add(1, {Time{1_us}, 0, 5});
  const auto take = [&](Duration now) {
    const auto next = arbiter.take(Time{now});
    return next ? next->number : 0;
  };
  CHECK(take(0_us) == 1);
  CHECK(take(0_us) == 4);  // not that of queue 1, which is still on its way
  CHECK(take(1_us) == 2);
  CHECK(take(1_us) == 5);  // queue 1 is before queue 0 now
  CHECK(take(1_us) == 3);
  CHECK(arbiter.empty());
  CHECK(take(1_us) == 0);
}

TEST_CASE("where no command is there yet, the one that comes first is next") {
  Arbiter arbiter(2);
  arbiter.add(0, {Time{3_us}, 7, 1});
  arbiter.add(1, {Time{2_us}, 8, 2});
  CHECK(arbiter.take(Time{})->slot == 8);
  CHECK(arbiter.take(Time{})->slot == 7);
}
