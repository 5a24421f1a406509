// SPDX-License-Identifier: MIT
#include "models/core/faults.h"

#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::literals;
using faults::Extent;
using faults::Strikes;
using faults::Trigger;

namespace {

Time at(Duration d) { return Time{d}; }

/// Which of ten operations, 1 ms apart from 0 on, are struck.
std::string struck(const Trigger& trigger, const Extent& extent) {
  Strikes strikes(trigger, extent, 1, "part");
  std::string all;
  for (int i = 0; i < 10; ++i) all += strikes.operation(at(1_ms * i)) ? 'x' : '.';
  return all;
}

}  // namespace

TEST_CASE("a fault strikes from a time or an operation on, as often and as long as it says") {
  const Trigger time{faults::AtTime{4_ms}}, third{faults::AtOperation{3}};
  CHECK(struck(time, {1, {}}) == "....x.....");
  CHECK(struck(time, {3, {}}) == "....xxx...");
  CHECK(struck(time, {Extent::no_limit, {}}) == "....xxxxxx");
  CHECK(struck(time, {Extent::no_limit, 2_ms}) == "....xx....");
  CHECK(struck(third, {1, {}}) == "..x.......");
  CHECK(struck(third, {Extent::no_limit, 3_ms}) == "..xxx.....");
  CHECK(struck({faults::AtRate{1}}, {2, {}}) == "xx........");
  CHECK(struck({faults::AtRate{0}}, {2, {}}) == "..........");
}

TEST_CASE("a state holds from its beginning on, whether anybody does something or not") {
  Strikes dead({faults::AtTime{4_ms}}, {Extent::no_limit, 2_ms}, 1, "part");
  unsigned told = 0;
  dead.when_struck = [&](Time t) {
    ++told;
    CHECK(t == at(4_ms));
  };
  CHECK_FALSE(dead.holds(at(3_ms)));
  CHECK(dead.holds(at(5_ms)));
  CHECK(dead.holds(at(5_ms)));
  CHECK_FALSE(dead.holds(at(6_ms)));
  CHECK(told == 1);
  Strikes later({faults::AtOperation{2}}, {Extent::no_limit, {}}, 1, "part");
  later.count(at(1_ms));
  CHECK_FALSE(later.holds(at(2_ms)));
  later.count(at(3_ms));
  CHECK(later.holds(at(3_ms)));
}

TEST_CASE("times that are drawn have the distribution's mean, and derive from seed and part") {
  const auto strikes_in = [](const Trigger& trigger, std::uint64_t seed, const char* part) {
    Strikes strikes(trigger, {Extent::no_limit, {}}, seed, part);
    std::uint64_t n = 0;
    for (Time t{}; t < at(100000_ms); t += 1_ms) n += strikes.operation(t);
    return n;
  };
  const Trigger exponential{faults::Exponential{100_ms}};
  const std::uint64_t n = strikes_in(exponential, 1, "disk0");
  CHECK(n == strikes_in(exponential, 1, "disk0"));
  CHECK(n != strikes_in(exponential, 2, "disk0"));
  CHECK(n != strikes_in(exponential, 1, "disk1"));
  // 1000 expected, with a standard deviation of 32.
  CHECK(n > 900);
  CHECK(n < 1100);
  // The mean of a Weibull distribution of shape 0.5 is twice its scale, its standard deviation 4.5 times.
  const std::uint64_t m = strikes_in({faults::Weibull{50_ms, 0.5}}, 1, "disk0");
  CHECK(m > 780);
  CHECK(m < 1220);
}

TEST_CASE("a fault whose time is over before the first operation strikes none") {
  Strikes strikes({faults::AtTime{4_ms}}, {Extent::no_limit, 2_ms}, 1, "part");
  CHECK_FALSE(strikes.operation(at(6_ms)));
  CHECK_FALSE(strikes.operation(at(7_ms)));
  CHECK(strikes.struck() == 0);
}

TEST_CASE("a strike at a time was at that time, though the next operation finds it") {
  Strikes strikes({faults::AtTime{4_ms}}, {1, {}}, 1, "part");
  CHECK(strikes.operation(at(7_ms)));
  CHECK(strikes.last() == at(4_ms));
  Strikes second({faults::AtOperation{1}}, {1, {}}, 1, "part");
  CHECK(second.operation(at(7_ms)));
  CHECK(second.last() == at(7_ms));
}

TEST_CASE("a state that begins at random begins again after its end, as often as it may") {
  const Trigger exponential{faults::Exponential{100_ms}};
  const auto begun = [&](std::uint64_t times, bool by_operations) {
    Strikes strikes(exponential, {times, 10_ms}, 1, "part");
    Duration held{};
    for (Time t{}; t < at(100'000_ms); t += 1_ms) {
      if (by_operations) strikes.count(t);
      held += strikes.holds(t) ? 1_ms : 0_ms;
    }
    CHECK(seconds(held) == Approx(0.010 * static_cast<double>(strikes.struck())).epsilon(0.02));
    return strikes.struck();
  };
  const std::uint64_t n = begun(Extent::no_limit, false);  // 909 expected, with a standard deviation of 27
  CHECK(n > 820);
  CHECK(n < 1000);
  CHECK(n == begun(Extent::no_limit, true));
  CHECK(begun(3, false) == 3);
  Strikes for_good(exponential, {Extent::no_limit, {}}, 1, "part");
  CHECK(for_good.holds(at(10'000_ms)));
  CHECK(for_good.struck() == 1);
}

TEST_CASE("the times of faults that nobody asks about are known") {
  Strikes once({faults::AtTime{4_ms}}, {Extent::no_limit, {}}, 1, "part");
  CHECK(once.next() == at(4_ms));
  CHECK(once.operation(once.next()));
  CHECK(once.next() == Time::max());
  Strikes twice({faults::Exponential{100_ms}}, {2, {}}, 1, "part");
  for (int i = 0; i < 2; ++i) {
    const Time next = twice.next();
    CHECK(twice.operation(next));
    CHECK(twice.next() > next);
  }
  CHECK(twice.next() == Time::max());
}
