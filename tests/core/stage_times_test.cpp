// SPDX-License-Identifier: MIT
#include "models/core/critical_path.h"

#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::literals;

TEST_CASE("the quantile of durations is at most 4 % too high, and their mean is exact") {
  StageTime times;
  for (int i = 1; i <= 1000; ++i) times.add(Duration{1'000'000} * i);  // 1 us to 1 ms
  CHECK(times.count() == 1000);
  CHECK(times.mean() == Duration{500'500'000});
  for (const double q : {0.5, 0.9, 0.99}) {
    CHECK(seconds(times.quantile(q)) >= q * 1e-3);
    CHECK(seconds(times.quantile(q)) <= q * 1e-3 * 1.04);
  }
  CHECK(times.quantile(1) == 1_ms);
}

TEST_CASE("bins follow one another without gaps, and a duration lies within its bin") {
  using Axis = DurationAxis;
  for (int i = 1; i < Axis::size(); ++i) {
    CHECK(Axis::index(Axis::end(i - 1)) == i);
    CHECK(Axis::index(Axis::end(i) - 1) == i);
    CHECK(static_cast<double>(Axis::end(i)) <= static_cast<double>(Axis::end(i - 1)) * 1.04);
  }
}

TEST_CASE("stages that took no time count, and a quantile among them is zero") {
  StageTime times;
  CHECK(times.quantile(0.99) == Duration{});
  for (int i = 0; i < 99; ++i) times.add({});
  times.add(1_ms);
  CHECK(times.quantile(0.99) == Duration{});
  CHECK(times.quantile(1) == 1_ms);
  CHECK(times.mean() == 10_us);
}

TEST_CASE("durations beyond the bins count for the first and the last of them") {
  StageTime times;
  times.add(Duration{1});
  CHECK(times.quantile(1) == Duration{1});
  times.add(longest_duration);
  CHECK(times.quantile(0.5) == Duration{1056});  // 1024 ps and a 32nd of them
  CHECK(times.quantile(1) == Duration{std::int64_t{1} << 54});
}

TEST_CASE("only what really waited is in a queue's times") {
  QueueTimes queue{"disk0"};
  queue.add({});
  queue.add(2_ms);
  queue.add(4_ms);
  CHECK(queue.waits == 2);
  CHECK(queue.waited == 6_ms);
}
