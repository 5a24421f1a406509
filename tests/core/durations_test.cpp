// SPDX-License-Identifier: MIT
#include "models/core/durations.h"

#include <cmath>

#include "models/core/random.h"
#include "tests/support/catch.h"

using namespace sunstar;

TEST_CASE("percentiles are values that occurred") {
  std::vector<Duration> times;
  for (int i = 200; i >= 1; --i) times.emplace_back(i);
  const auto p = percentiles(times);  // ranks 100, 180, 190, 198 and 200 of 200
  CHECK((p.p50.count() == 100 && p.p90.count() == 180 && p.p95.count() == 190 && p.p99.count() == 198));
  CHECK((p.p999.count() == 200 && p.max.count() == 200));
  CHECK(percentiles({7_ns}).p50 == 7_ns);
  CHECK(Durations{}.percentiles().count == 0);
}

TEST_CASE("few durations are kept, and their percentiles are exact") {
  Durations all;
  for (int i = 200; i >= 1; --i) all.add(Duration{i});
  CHECK(all.kept().size() == 200);
  CHECK(all.percentiles().p90.count() == 180);
}

TEST_CASE("of very many durations, percentiles are within a thousandth, and number and maximum are exact") {
  // From 1 ps to minutes, on a logarithmic scale.
  RandomStream random(1, "durations");
  Durations all;
  std::vector<Duration> exact;
  for (std::size_t i = 0; i < Durations::most_kept + 100'000; ++i) {
    exact.emplace_back(static_cast<Duration::rep>(std::exp(random.uniform() * 33)));
    all.add(exact.back());
  }
  CHECK(all.kept().empty());
  const auto p = all.percentiles(), q = percentiles(exact);
  const auto near = [](Duration a, Duration b) {
    return std::abs(static_cast<double>((a - b).count())) <= Durations::error * static_cast<double>(b.count());
  };
  CHECK(near(p.p50, q.p50));
  CHECK(near(p.p90, q.p90));
  CHECK(near(p.p95, q.p95));
  CHECK(near(p.p99, q.p99));
  CHECK(near(p.p999, q.p999));
  CHECK(p.max == q.max);
  CHECK(p.count == q.count);
}

TEST_CASE("a class of durations is at most a thousandth wide on either side, wherever it lies") {
  for (Duration::rep value = 1; value < Duration::rep{1} << 61; value += value / 3 + 1) {
    Durations all;
    for (std::size_t i = 0; i <= Durations::most_kept; ++i) all.add(Duration{i % 2 == 0 ? value : 3 * value / 2});
    const auto found = static_cast<double>(all.percentiles().p50.count());
    CHECK(std::abs(found - static_cast<double>(value)) <= Durations::error * static_cast<double>(value));
  }
}
