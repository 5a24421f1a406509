// SPDX-License-Identifier: MIT
#include "models/core/fifo.h"

#include <deque>

#include "models/core/random.h"
#include "tests/support/catch.h"

using namespace sunstar;

TEST_CASE("a Fifo gives its values in the order in which they came, however it is filled and emptied") {
  RandomStream random(1, "fifo");
  Fifo<int> fifo;
  std::deque<int> expected;
  for (int i = 0; i < 10'000; ++i) {
    // In turns more come than go and more go than come.
    if (random.below(100) < (i / 500 % 2 == 0 ? 60u : 40u)) {
      fifo.push_back(i);
      expected.push_back(i);
    } else if (!expected.empty()) {
      REQUIRE(fifo.front() == expected.front());
      REQUIRE(fifo.back() == expected.back());
      fifo.pop_front();
      expected.pop_front();
    }
    REQUIRE(fifo.size() == expected.size());
    REQUIRE(fifo.empty() == expected.empty());
  }
  CHECK(std::deque<int>(fifo.begin(), fifo.end()) == expected);
}
