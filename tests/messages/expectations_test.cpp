// SPDX-License-Identifier: MIT
#include "sw/messages/endpoint.h"

#include "tests/support/catch.h"

using sunstar::messages::Expectations;

TEST_CASE("the name of a reply that has come is used again") {
  Expectations expected;
  const auto first = expected.add(1, 7), second = expected.add(2, 8);
  CHECK(first != second);
  CHECK(expected.action(second) == 8);
  CHECK(expected.node(second) == 2);
  expected.came(first);
  CHECK_FALSE(expected.has(first));
  CHECK(expected.has(second));
  CHECK(expected.add(3, 9) == first);
}

TEST_CASE("a reply that was given up does not pass for a later one in its place") {
  Expectations expected;
  const auto one = expected.add(1, 7), other = expected.add(2, 8), third = expected.add(1, 5);
  CHECK(expected.give_up(1) == std::vector<std::uint32_t>{5, 7});
  CHECK(expected.has(other));
  const auto fourth = expected.add(1, 7), fifth = expected.add(1, 5);
  for (const auto late : {one, third}) CHECK_FALSE(expected.has(late));
  for (const auto awaited : {fourth, fifth}) CHECK(expected.has(awaited));
}

TEST_CASE("the reply of the name `nobody` is not expected") {
  Expectations expected;
  CHECK_FALSE(expected.has(Expectations::nobody));
  expected.add(1, 7);
  CHECK_FALSE(expected.has(Expectations::nobody));
}
