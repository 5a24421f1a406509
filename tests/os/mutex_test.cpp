// SPDX-License-Identifier: MIT
#include "sw/os/mutex.h"

#include <deque>

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
  Os os(machine[0], free_of_charge());
  Mutex mutex(os);
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) os.spawn(hold(os, mutex, i, order), "holder");
  machine.timeline.run();
  CHECK(order == std::vector{0, 0, 1, 1, 2, 2});
  CHECK(os.now() == at_ns(300));
  CHECK_FALSE(mutex.held());
  CHECK(os.idle());
}

TEST_CASE("a mutex is handed over: a thread that asks again at once queues behind those that wait") {
  FakeMachine machine(1);
  Os os(machine[0], free_of_charge());
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
  Os os(machine[0], free_of_charge());
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
    Os os(machine[0], free_of_charge());
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

TEST_CASE("a consumer waits under a mutex for what producers put into a buffer of one place") {
  FakeMachine machine(1);
  Os os(machine[0], free_of_charge());
  Mutex mutex(os);
  Condition filled(os, "something in the buffer"), emptied(os, "room in the buffer");
  std::deque<int> buffer;
  std::vector<int> consumed;
  const auto producer = [&](int base) -> Task<> {
    for (int i = 0; i < 10; ++i) {
      const auto guard = co_await mutex.lock();
      while (!buffer.empty()) co_await emptied.wait(mutex);
      buffer.push_back(base + i);
      CHECK(buffer.size() == 1);
      filled.notify_one();
      co_await os.sleep_until(os.now() + 10_ns);
    }
  };
  const auto consumer = [&](int count) -> Task<> {
    for (int i = 0; i < count; ++i) {
      const auto guard = co_await mutex.lock();
      while (buffer.empty()) co_await filled.wait(mutex);
      CHECK(mutex.held());
      consumed.push_back(buffer.front());
      buffer.pop_front();
      emptied.notify_one();
    }
  };
  os.spawn(consumer(20), "consumer");
  os.spawn(consumer(10), "consumer");
  for (int base : {100, 200, 300}) os.spawn(producer(base), "producer");
  machine.timeline.run();
  CHECK(os.idle());
  CHECK(consumed.size() == 30);
  for (int base : {100, 200, 300}) {  // of each producer all, and in order
    std::vector<int> of_one;
    for (int i : consumed)
      if (i / 100 == base / 100) of_one.push_back(i % 100);
    CHECK(of_one == std::vector{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  }
}

TEST_CASE("notify_all wakes all threads, one after the other") {
  FakeMachine machine(1);
  Os os(machine[0], free_of_charge());
  Mutex mutex(os);
  Condition open(os);
  bool is_open = false;
  std::vector<Time> passed;
  const auto visitor = [&]() -> Task<> {
    const auto guard = co_await mutex.lock();
    while (!is_open) co_await open.wait(mutex);
    co_await os.sleep_until(os.now() + 10_ns);
    passed.push_back(os.now());
  };
  for (int i = 0; i < 3; ++i) os.spawn(visitor(), "visitor");
  machine.timeline.run();
  CHECK(passed.empty());
  is_open = true;
  open.notify_all();
  machine.timeline.run();
  CHECK(passed == std::vector{at_ns(10), at_ns(20), at_ns(30)});
}
