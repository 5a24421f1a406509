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

TEST_CASE("a FIFO takes values in its middle, with and without room before its first") {
  Fifo<int> fifo;
  for (int i = 0; i < 6; ++i) fifo.push_back(i);
  fifo.insert(fifo.begin() + 2, 10);
  fifo.pop_front();
  fifo.insert(fifo.begin() + 1, 11);
  fifo.insert(fifo.begin(), 12);
  fifo.insert(fifo.end(), 13);
  CHECK(std::ranges::equal(fifo, std::vector{12, 1, 11, 10, 2, 3, 4, 5, 13}));
  fifo.erase(fifo.begin() + 2, fifo.begin() + 4);
  CHECK(std::ranges::equal(fifo, std::vector{12, 1, 2, 3, 4, 5, 13}));
}
