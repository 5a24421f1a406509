// SPDX-License-Identifier: MIT
#include "models/core/random.h"
#include "tests/support/catch.h"

using sunstar::RandomStream;

TEST_CASE("a random stream depends on the seed and the name and on nothing else") {
  RandomStream a(7, "iop0.disk0"), again(7, "iop0.disk0"), other_name(7, "iop0.disk1"), other_seed(8, "iop0.disk0");
  const auto first = a.next();
  CHECK(first == again.next());
  CHECK(first != other_name.next());
  CHECK(first != other_seed.next());
}

TEST_CASE("numbers below n are uniformly distributed") {
  RandomStream r(1, "die");
  int faces[6] = {};
  for (int i = 0; i < 60000; ++i) ++faces[r.below(6)];
  for (int count : faces) CHECK(count == Approx(10000).margin(400));  // 4.4 standard deviations of 91
}
