// SPDX-License-Identifier: MIT
#include "sw/messages/barrier.h"

#include "tests/support/catch.h"
#include "tests/support/endpoints.h"

using namespace sunstar;
using namespace sunstar::literals;
using namespace sunstar::messages;
using os::Costs;
using os::Task;
using test::at_ns;
using test::Endpoints;
using test::FakeMachine;
using test::free_of_charge;

namespace {

/// Arrives at the barrier at the given times and notes when it was let go.
Task<> visitor(os::Os& os, Barrier& barrier, std::size_t member, std::vector<Time> arrivals,
               std::vector<Time>& let_go) {
  for (const Time t : arrivals) {
    co_await os.sleep_until(t);
    co_await barrier.wait(member);
    let_go.push_back(os.now());
  }
}

}  // namespace

TEST_CASE("a barrier releases no member before the last has arrived, in any order of arrival") {
  // With a message a microsecond: members tell the first, the first tells all. If a member comes last, at 10 us, the
  // first knows at 11 us and the others at 12 us; if the first comes last, it knows at once.
  std::vector<std::int64_t> arrival{100, 3'000, 6'000, 10'000};
  do {
    FakeMachine machine(4);
    Endpoints nodes(machine, free_of_charge());
    Barrier barrier(nodes.all(), nodes.protocol.numbers);
    std::vector<std::vector<Time>> let_go(4);
    for (std::size_t i = 0; i < 4; ++i)
      nodes.os(i).spawn(visitor(nodes.os(i), barrier, i, {at_ns(arrival[i])}, let_go[i]), "visitor");
    machine.timeline.run();
    const std::int64_t known = arrival[0] == 10'000 ? 10'000 : 11'000;
    CHECK(let_go[0] == std::vector{at_ns(known)});
    for (std::size_t i = 1; i < 4; ++i) CHECK(let_go[i] == std::vector{at_ns(known + 1'000)});
    CHECK(machine.sent.size() == 6);
    CHECK(machine.unreleased() == 0);
  } while (std::ranges::next_permutation(arrival).found);
}

TEST_CASE("members of a barrier learn what the others have said, or that they have said different things") {
  using Words = std::vector<Barrier::Said>;
  constexpr Barrier::Said nothing = Barrier::nothing, differ = Barrier::differ;
  FakeMachine machine(3);
  Endpoints nodes(machine, free_of_charge());
  Barrier barrier(nodes.all(), nodes.protocol.numbers);
  const std::vector<Words> rounds{{nothing, 7, nothing}, {7, 7, 7}, {7, nothing, 8}, {nothing, nothing, nothing}};
  std::vector<Words> heard(3);
  const auto member = [&](std::size_t m) -> Task<> {
    for (const Words& words : rounds) heard[m].push_back(co_await barrier.wait(m, words[m]));
  };
  for (std::size_t m = 0; m < 3; ++m) nodes.os(m).spawn(member(m), "member");
  machine.timeline.run();
  for (std::size_t m = 0; m < 3; ++m) CHECK(heard[m] == Words{7, 7, differ, nothing});
}

TEST_CASE("a barrier can be used again and again, even if members arrive early for the next round") {
  FakeMachine machine(3);
  Costs costs = free_of_charge();
  costs.message_send = Cycles{500};
  costs.interrupt = Cycles{300};
  costs.thread_switch = Cycles{100};
  Endpoints nodes(machine, costs);
  Barrier barrier(nodes.all(), nodes.protocol.numbers);
  std::vector<std::vector<Time>> let_go(3);
  for (std::size_t i = 0; i < 3; ++i)
    nodes.os(i).spawn(visitor(nodes.os(i), barrier, i, std::vector<Time>(50), let_go[i]), "visitor");
  machine.timeline.run();
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE(let_go[i].size() == 50);
    CHECK(nodes.os(i).idle());
    // No round ends anywhere before the round before has ended everywhere.
    for (std::size_t round = 1; round < 50; ++round)
      for (std::size_t j = 0; j < 3; ++j) CHECK(let_go[i][round] > let_go[j][round - 1]);
  }
  CHECK(machine.sent.size() == 50 * 4);
}

TEST_CASE("a barrier of one member releases it at once, without a message") {
  FakeMachine machine(1);
  Endpoints nodes(machine, free_of_charge());
  Barrier barrier(nodes.all(), nodes.protocol.numbers);
  std::vector<Time> let_go;
  nodes.os(0).spawn(visitor(nodes.os(0), barrier, 0, {Time{}, Time{}}, let_go), "visitor");
  CHECK(let_go.size() == 2);
  CHECK(machine.sent.empty());
}

TEST_CASE("two barriers of the same nodes do not interfere") {
  FakeMachine machine(2);
  Endpoints nodes(machine, free_of_charge());
  Barrier first(nodes.all(), nodes.protocol.numbers), second(nodes.all(), nodes.protocol.numbers);
  std::vector<Time> at_first, at_second;
  nodes.os(0).spawn(visitor(nodes.os(0), first, 0, {Time{}}, at_first), "visitor");
  nodes.os(1).spawn(visitor(nodes.os(1), second, 1, {Time{}}, at_second), "visitor");
  machine.timeline.run();
  CHECK(at_first.empty());
  CHECK(at_second.empty());
}
