// SPDX-License-Identifier: MIT
#include "sw/messages/exchange.h"

#include "models/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/endpoints.h"

using namespace sunstar;
using namespace sunstar::literals;
using namespace sunstar::messages;
using os::Task;
using test::at_ns;
using test::Endpoints;
using test::FakeMachine;
using test::free_of_charge;

namespace {

/// An exchange on nodes that are there only for it; a message takes a microsecond and a cycle a nanosecond.
struct Rig {
  explicit Rig(const Schedule& schedule, const os::Costs& costs = free_of_charge())
      : machine(schedule.members),
        nodes(machine, costs),
        exchange(nodes.all(), schedule, 0, nodes.protocol.numbers),
        ended(schedule.members) {
    for (std::size_t m = 0; m < nodes.size(); ++m) exchange.use(m, nodes.os(m).node().allocate(schedule.bytes));
  }
  void start(std::size_t member, std::uint32_t rounds, Time at = {}) {
    nodes.os(member).spawn(program(member, rounds, at), "member");
  }
  Task<> program(std::size_t member, std::uint32_t rounds, Time at) {
    co_await nodes.os(member).sleep_until(at);
    for (std::uint32_t r = 0; r < rounds; ++r) {
      const Exchange::Got got = co_await exchange.round(member);
      messages += got.messages;
      missing += got.missing;
      ended[member].push_back(nodes.os(member).now());
    }
    exchange.ends(member);
  }

  FakeMachine machine;
  Endpoints nodes;
  Exchange exchange;
  std::vector<std::vector<Time>> ended;  // by member: its rounds
  std::uint64_t messages = 0, missing = 0;
};

}  // namespace

TEST_CASE("a round ends when a process has the messages of all others") {
  Rig rig(all_to_all(3, 64));
  rig.start(0, 1);
  rig.start(1, 1);
  rig.start(2, 1, at_ns(5'000));
  rig.machine.timeline.run();
  // The last one's messages come at 6 us; it has had those of the others since 1 us.
  CHECK(rig.ended[0] == std::vector{at_ns(6'000)});
  CHECK(rig.ended[1] == std::vector{at_ns(6'000)});
  CHECK(rig.ended[2] == std::vector{at_ns(5'000)});
  CHECK(rig.messages == 6);
  CHECK(rig.machine.sent.size() == 6);
  CHECK(rig.machine.unreleased() == 0);
}

TEST_CASE("an allreduce of four takes two messages one after the other, and two combinations") {
  auto costs = free_of_charge();
  costs.copy = Cycles{10};
  costs.copy_per_byte = Cycles{0.5};
  Rig rig(allreduce(4, 64), costs);
  for (std::size_t m = 0; m < 4; ++m) rig.start(m, 1);
  rig.machine.timeline.run();
  // Twice a message of 1 us, and 10 + 0.5 * 64 cycles.
  for (std::size_t m = 0; m < 4; ++m) CHECK(rig.ended[m] == std::vector{at_ns(2 * 1'000 + 2 * 42)});
}

TEST_CASE("processes go round after round, and messages of a later round may come early") {
  Rig rig(neighbours({4}, 64));
  for (std::size_t m = 0; m < 4; ++m) rig.start(m, 50, at_ns(static_cast<std::int64_t>(m) * 300));
  rig.machine.timeline.run();
  CHECK(rig.messages == 4 * 2 * 50);
  CHECK(rig.missing == 0);
  for (std::size_t m = 0; m < 4; ++m) {
    CHECK(rig.ended[m].size() == 50);
    CHECK(rig.nodes.os(m).idle());
  }
}

TEST_CASE("a process alone exchanges nothing, and its rounds take no time") {
  for (const Schedule& schedule : {neighbours({1}, 64), all_to_all(1, 64), allreduce(1, 64), allreduce_ring(1, 64)}) {
    Rig rig(schedule);
    rig.start(0, 3);
    rig.machine.timeline.run();
    CHECK(rig.ended[0] == std::vector<Time>(3));
    CHECK(rig.machine.sent.empty());
  }
}

TEST_CASE("two exchanges of the same nodes do not interfere") {
  Rig rig(all_to_all(2, 64));
  const Schedule other_schedule = all_to_all(2, 64);
  Exchange other(rig.nodes.all(), other_schedule, 1, rig.nodes.protocol.numbers);
  other.use(1, rig.nodes.os(1).node().allocate(64));
  rig.start(0, 1);
  rig.nodes.os(1).spawn([](Exchange& exchange) -> Task<> { co_await exchange.round(1); }(other), "other");
  CHECK_NOTHROW(other.use(0, rig.nodes.os(0).node().allocate(64)));
  rig.machine.timeline.run();
  CHECK(rig.ended[0].empty());
}

TEST_CASE("a wrong byte of a message is found when it arrives, as is a message that comes twice") {
  const auto said = [](std::uint8_t spoilt, int copies) -> std::string {
    Rig rig(all_to_all(3, 64));
    rig.machine.copies = [&](const hal::Message& m) {
      if (m.source != 1 || m.target != 0) return 1;
      if (spoilt > 0) *rig.nodes.os(1).memory().bytes(m.data + 63, 1) ^= std::byte{spoilt};
      return copies;
    };
    for (std::size_t m = 0; m < 3; ++m) rig.start(m, 1, at_ns(m == 2 ? 5'000 : 0));
    try {
      rig.machine.timeline.run();
    } catch (const SimulationError& error) {
      return error.what();
    }
    return "";
  };
  const std::string message =
      "verification failed: message 1 of round 0 of an exchange, from process 1 to process 0, has ";
  CHECK(said(0, 1).empty());
  CHECK(said(1, 1) == message + "a wrong byte 63");
  CHECK(said(0, 2) == message + "come twice");
}

TEST_CASE("a message that nobody has waited for at the end fails the run") {
  Rig rig(neighbours({4}, 64));
  // Process 0 begins a second round while the others wait for process 2, and its message finds none of theirs.
  for (std::size_t m = 0; m < 4; ++m) rig.start(m, m == 0 ? 2 : 1, at_ns(m == 2 ? 5'000 : 0));
  CHECK_THROWS_WITH(rig.machine.timeline.run(),
                    "verification failed: message 1 of round 1 of an exchange, from process 0 to process 3, was not "
                    "expected");
}
