// SPDX-License-Identifier: MIT
#include "sw/os/mutex.h"

#include "sw/os/os.h"
#include "tests/support/catch.h"
#include "tests/support/fake_node.h"

using namespace sunstar;
using namespace sunstar::literals;
using namespace sunstar::os;
using test::at_ns;
using test::FakeMachine;
using test::free_of_charge;

namespace {

/// Holds the mutex for 100 ns.
Task<> hold(Os& os, Mutex& mutex, int number, std::vector<int>& order) {
  const auto guard = co_await mutex.lock();
  order.push_back(number);
  co_await os.sleep_until(os.now() + 100_ns);
  order.push_back(number);
}

}  // namespace

TEST_CASE("one thread at a time holds a mutex, in the order in which they asked") {
  FakeMachine machine(1);
  Common common(free_of_charge());
  Os os(machine[0], common);
  Mutex mutex(os);
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) os.spawn(hold(os, mutex, i, order), "holder");
  machine.timeline.run();
  CHECK(order == std::vector{0, 0, 1, 1, 2, 2});
  CHECK(os.now() == at_ns(300));
  CHECK_FALSE(mutex.held());
  CHECK(os.idle());
}

TEST_CASE("a mutex is handed over: a thread that asks again at once queues behind waiting ones") {
  FakeMachine machine(1);
  Common common(free_of_charge());
  Os os(machine[0], common);
  Mutex mutex(os);
  std::vector<int> order;
  const auto greedy = [&]() -> Task<> {
    co_await hold(os, mutex, 0, order);
    co_await hold(os, mutex, 0, order);
  };
  os.spawn(greedy(), "greedy");
  os.spawn(hold(os, mutex, 1, order), "patient");
  machine.timeline.run();
  CHECK(order == std::vector{0, 0, 1, 1, 0, 0});
}

TEST_CASE("a mutex is given back when its holder fails") {
  FakeMachine machine(1);
  Common common(free_of_charge());
  Os os(machine[0], common);
  Mutex mutex(os);
  bool caught = false;
  const auto failing = [&]() -> Task<> {
    const auto guard = co_await mutex.lock();
    throw 1;
  };
  const auto body = [&]() -> Task<> {
    try {
      co_await failing();
    } catch (int) {
      caught = true;
    }
  };
  os.spawn(body(), "body");
  CHECK(caught);
  CHECK_FALSE(mutex.held());
}

TEST_CASE("an executive is destroyed cleanly while one thread holds a mutex and others wait for it") {
  FakeMachine machine(1);
  std::vector<int> order;
  {
    Common common(free_of_charge());
    Os os(machine[0], common);
    Mutex mutex(os);
    for (int i = 0; i < 3; ++i) os.spawn(hold(os, mutex, i, order), "holder");
    CHECK(mutex.held());
    // The mutex goes before the executive, as what belongs to a file system does.
    std::vector<std::string> lines;
    os.describe_waiting(lines);
    CHECK(lines.size() == 3);
    CHECK(lines[1] == "node0: thread 'holder' waits for a mutex");
  }
  CHECK(order == std::vector{0});
}
