// SPDX-License-Identifier: MIT
#include "models/core/reservations.h"

#include "models/core/random.h"
#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::literals;

TEST_CASE("reserved work fills the gaps of a resource") {
  Reservations resource;
  CHECK(resource.whole(Time{0_us}, Time{10_us}, 5_us) == Time{15_us});
  CHECK(resource.whole(Time{0_us}, Time{0_us}, 10_us) == Time{10_us});  // fits exactly before
  CHECK(resource.whole(Time{0_us}, Time{0_us}, 1_us) == Time{16_us});
  CHECK(resource.whole(Time{0_us}, Time{20_us}, 1_us) == Time{21_us});
  CHECK(resource.whole(Time{0_us}, Time{0_us}, 4_us) == Time{20_us});
  CHECK(resource.whole(Time{0_us}, Time{0_us}, 1_us) == Time{22_us});
  CHECK(resource.reserved() == 22_us);
  CHECK(resource.free_at() == Time{22_us});
}

TEST_CASE("a resource finds the first gap, although it remembers gaps that are too short") {
  RandomStream random(7, "resource");
  for (int round = 0; round < 20; ++round) {
    Reservations resource;
    std::array<bool, 4000> taken{};  // by microsecond
    for (int now = 0; now < 200; ++now) {
      const auto length = std::array{1, 1, 3, 7, 4}[random.below(5)];
      const auto earliest = now + static_cast<int>(random.below(300));
      int begin = earliest;
      const auto free = [&] {
        return std::none_of(taken.begin() + begin, taken.begin() + begin + length, std::identity{});
      };
      while (!free()) ++begin;
      for (int t = begin; t < begin + length; ++t) taken[static_cast<std::size_t>(t)] = true;
      REQUIRE(resource.whole(Time{1_us * now}, Time{1_us * earliest}, 1_us * length) == Time{1_us * (begin + length)});
    }
  }
}

TEST_CASE("work in pieces goes around what is reserved already") {
  Reservations resource;
  CHECK(resource.whole(Time{0_us}, Time{10_us}, 5_us) == Time{15_us});
  CHECK(resource.whole(Time{0_us}, Time{20_us}, 5_us) == Time{25_us});
  CHECK(resource.in_pieces(Time{0_us}, Time{8_us}, 8_us) == Time{26_us});  // 8 to 10, 15 to 20, 25 to 26
  CHECK(resource.in_pieces(Time{0_us}, Time{0_us}, 8_us) == Time{8_us});   // just fits
  CHECK(resource.in_pieces(Time{0_us}, Time{7_us}, 1_us) == Time{27_us});
  CHECK(resource.busy(Time{9_us}) == 9_us);
  CHECK(resource.reserved() == 27_us);
}
