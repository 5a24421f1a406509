// SPDX-License-Identifier: MIT
#include "sw/os/os.h"

#include "tests/support/catch.h"
#include "tests/support/fake_node.h"

using namespace sunstar;
using namespace sunstar::literals;
using namespace sunstar::os;
using test::FakeMachine;
using test::free_of_charge;

TEST_CASE("a daemon that sleeps again and again does not keep an otherwise idle machine alive") {
  FakeMachine machine(1);
  Common common(free_of_charge());
  Os os(machine[0], common);
  WaitQueue never(os, "what never comes");
  int rounds = 0;
  const auto daemon = [&]() -> Task<> {
    while (true) {
      co_await os.sleep_until(os.now() + 1_us);
      ++rounds;
    }
  };
  const auto waiter = [&]() -> Task<> { co_await never.wait(); };
  os.spawn(daemon(), "timer", {.daemon = true});
  os.spawn(waiter(), "program");
  machine.timeline.run();  // ends
  CHECK(rounds > 1000);
  std::vector<std::string> lines;
  os.describe_waiting(lines);
  CHECK(lines == std::vector<std::string>{"node0: daemon 'timer' waits for a point of time",
                                          "node0: thread 'program' waits for what never comes"});
}

TEST_CASE("a daemon goes on as long as any other thread works, however long that takes") {
  FakeMachine machine(1);
  Common common(free_of_charge());
  Os os(machine[0], common);
  int rounds = 0;
  const auto daemon = [&]() -> Task<> {
    while (true) {
      co_await os.sleep_until(os.now() + 1_us);
      ++rounds;
    }
  };
  const auto program = [&]() -> Task<> { co_await os.sleep_until(Time{300_ms}); };
  os.spawn(daemon(), "timer", {.daemon = true});
  os.spawn(program(), "program");
  machine.timeline.run(Time{300_ms});
  CHECK(rounds >= 299'999);
}

TEST_CASE("retired daemons are not woken again") {
  FakeMachine machine(1);
  Common common(free_of_charge());
  Os os(machine[0], common);
  int rounds = 0;
  const auto daemon = [&]() -> Task<> {
    while (true) {
      co_await os.sleep_until(os.now() + 1_us);
      if (++rounds == 5) common.activity.retire_daemons();
    }
  };
  os.spawn(daemon(), "timer", {.daemon = true});
  machine.timeline.run();
  CHECK(rounds == 5);
}
