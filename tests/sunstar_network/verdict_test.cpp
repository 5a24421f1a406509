// SPDX-License-Identifier: MIT
#include "platforms/network/result.h"
#include "tests/support/catch.h"

using namespace sunstar;
using traffic::Evidence;

namespace {
traffic::Verdict verdict(bool backlog, double accepted, bool drained, double slowdown) {
  return traffic::verdict(Evidence{0.5, accepted, 1000, backlog, drained, slowdown});
}
}  // namespace

TEST_CASE("a network is steady if all measured messages arrive in less than four times their time alone") {
  const auto v = verdict(false, 0.5, true, 3.9);
  CHECK(v.offered == 0.5);
  CHECK(v.saturated == false);
  CHECK(v.verdict == "steady: all measured messages have arrived");
}

TEST_CASE("a network is saturated for one of three reasons, and the verdict gives the first that holds") {
  // 95 % of 0.5 are 0.475.
  CHECK(verdict(true, 0.47, false, 5).verdict == "saturated: less than 95 % of the load is accepted");
  CHECK(verdict(true, 0.48, false, 5).verdict == "saturated: measured messages still wait when the drain ends");
  CHECK(verdict(false, 0.47, true, 5).verdict ==
        "saturated: messages take more than 4 times as long as without contention");
  for (const auto& v : {verdict(true, 0.47, false, 5), verdict(false, 0.5, false, 1), verdict(false, 0.5, true, 5)})
    CHECK(v.saturated == true);
}

TEST_CASE("fewer than forty messages give no verdict") {
  const Evidence few{0.5, 0.1, 39, true, false, 9};
  CHECK_FALSE(traffic::verdict(few).saturated.has_value());
  CHECK(traffic::verdict(few).verdict == "none: too few messages measured");
  const Evidence lost{0.5, 0.1, 1000, true, false, 9, 961};
  CHECK(traffic::verdict(lost).verdict == "none: too few messages measured");
}

TEST_CASE("a network that loses messages does not count as one in which all arrive") {
  const auto v = traffic::verdict({0.5, 0.4, 1000, false, true, 1, 200});
  CHECK(v.saturated == false);
  CHECK(v.verdict == "steady: all measured messages have arrived or vanished");
}
