// SPDX-License-Identifier: MIT
#include "sw/os/os.h"

#include <stdexcept>

#include "tests/support/catch.h"
#include "tests/support/fake_node.h"

using namespace sunstar;
using namespace sunstar::literals;
using namespace sunstar::os;
using test::at_ns;
using test::FakeMachine;
using test::free_of_charge;

namespace {

Costs with_switch(double cycles) {
  Costs costs = free_of_charge();
  costs.thread_switch = Cycles{cycles};
  return costs;
}

/// Computes for `cycles` and notes when it has ended.
Task<> compute(Os& os, double cycles, std::vector<Time>& ends) {
  os.compute(Cycles{cycles});
  co_await os.settle();
  ends.push_back(os.now());
}

/// Waits `rounds` times and notes its number each time it goes on.
Task<> wait_rounds(WaitQueue& queue, int rounds, int number, std::vector<int>& order) {
  for (int i = 0; i < rounds; ++i) {
    co_await queue.wait();
    order.push_back(number);
  }
}

}  // namespace

TEST_CASE("each dispatch of a thread costs a thread switch") {
  // Switch 100 ns and 50 ns of work: 150 ns; again for the second thread.
  FakeMachine machine(1);
  Common common(with_switch(100));
  Os os(machine[0], common);
  std::vector<Time> ends;
  os.spawn(compute(os, 50, ends), "first");
  os.spawn(compute(os, 50, ends), "second");
  machine.timeline.run();
  CHECK(ends == std::vector{at_ns(150), at_ns(300)});
  CHECK(os.idle());
}

TEST_CASE("a thread that computes keeps the processor until it waits") {
  // It computes twice, 30 ns each, with one switch before; the other gets the processor after both.
  FakeMachine machine(1);
  Common common(with_switch(100));
  Os os(machine[0], common);
  std::vector<Time> ends;
  const auto twice = [&]() -> Task<> {
    co_await compute(os, 30, ends);
    co_await compute(os, 30, ends);
  };
  os.spawn(twice(), "twice");
  os.spawn(compute(os, 1, ends), "once");
  machine.timeline.run();
  CHECK(ends == std::vector{at_ns(130), at_ns(160), at_ns(261)});
}

TEST_CASE(
    "a thread that gives way lets the ready threads run first, after its own computing, and goes on at once if there "
    "are none") {
  FakeMachine machine(1);
  Common common(free_of_charge());
  Os os(machine[0], common);
  std::vector<Time> first, polite, other;
  const auto gives_way = [&]() -> Task<> {
    os.compute(Cycles{30});
    co_await os.give_way();
    co_await compute(os, 10, polite);
    co_await os.give_way();
    co_await compute(os, 10, polite);
  };
  os.spawn(compute(os, 20, first), "first");  // the others are ready meanwhile
  os.spawn(gives_way(), "polite");
  os.spawn(compute(os, 50, other), "other");
  machine.timeline.run();
  CHECK(other == std::vector{at_ns(20 + 30 + 50)});
  CHECK(polite == std::vector{at_ns(110), at_ns(120)});
  CHECK(os.idle());
}

TEST_CASE("what a thread computes before it waits delays the next thread") {
  // The first computes 40 ns and waits for good; the second's 10 ns begin after that: 40 + 10.
  FakeMachine machine(1);
  Common common(free_of_charge());
  Os os(machine[0], common);
  WaitQueue never(os, "nothing");
  std::vector<Time> ends;
  const auto waiter = [&]() -> Task<> {
    os.compute(Cycles{40});
    co_await never.wait();
  };
  os.spawn(waiter(), "waiter");
  os.spawn(compute(os, 10, ends), "next");
  machine.timeline.run();
  CHECK(ends == std::vector{at_ns(50)});
}

TEST_CASE("ready threads take turns, first come first served") {
  FakeMachine machine(1);
  Common common(free_of_charge());
  Os os(machine[0], common);
  WaitQueue queue(os, "its turn");
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) os.spawn(wait_rounds(queue, 2, i, order), "waiter");
  queue.wake_all();
  CHECK(order == std::vector{0, 1, 2});
  queue.wake_all();
  CHECK(order == std::vector{0, 1, 2, 0, 1, 2});
  CHECK(os.idle());
}

TEST_CASE("wake_one wakes the thread that has waited longest") {
  FakeMachine machine(1);
  Common common(free_of_charge());
  Os os(machine[0], common);
  WaitQueue queue(os, "its turn");
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) os.spawn(wait_rounds(queue, 2, i, order), "waiter");
  for (int i = 0; i < 4; ++i) queue.wake_one();
  CHECK(order == std::vector{0, 1, 2, 0});
  CHECK_FALSE(queue.empty());
}

TEST_CASE("an urgent thread gets the processor before all others that are ready") {
  FakeMachine machine(1);
  Common common(free_of_charge());
  Os os(machine[0], common);
  WaitQueue queue(os, "its turn");
  std::vector<int> order;
  os.spawn(wait_rounds(queue, 1, 0, order), "first");
  os.spawn(wait_rounds(queue, 1, 1, order), "second");
  os.spawn(wait_rounds(queue, 1, 2, order), "driver", {.urgent = true});
  const auto waker = [&]() -> Task<> {
    queue.wake_all();
    co_return;
  };
  os.spawn(waker(), "waker");
  CHECK(order == std::vector{2, 0, 1});
}

TEST_CASE("an interrupt preempts a thread, which goes on with what was left") {
  // 1 ms of computing; 20 messages come in meanwhile, each a handler of 3 us (interrupt 2 us, handler 1 us): 1060 us.
  FakeMachine machine(2);
  Costs costs = free_of_charge();
  costs.interrupt = Cycles{2000};
  costs.reply_action = Cycles{1000};
  Common common_of_os(costs), common_of_far(free_of_charge());
  Os os(machine[0], common_of_os), far(machine[1], common_of_far);
  int handled = 0;
  os.on_message(0, {Cost::reply_action}, [&](hal::Message& m) {
    ++handled;
    machine[0].release(m);
  });
  std::vector<Time> ends;
  os.spawn(compute(os, 1e6, ends), "long");
  for (int i = 0; i < 20; ++i) far.send_at(at_ns(10'000 + i * 7'000), {});
  machine.timeline.run();
  CHECK(handled == 20);
  CHECK(ends == std::vector{at_ns(1'060'000)});
  CHECK(machine.unreleased() == 0);
}

TEST_CASE("a message leaves when the time for composing it has passed") {
  // Composing takes 100 ns; the next leaves after as much again, since the thread goes on at once.
  FakeMachine machine(2);
  Costs costs = free_of_charge();
  costs.message_send = Cycles{100};
  Common common_of_os(costs), common_of_far(free_of_charge());
  Os os(machine[0], common_of_os), far(machine[1], common_of_far);
  far.on_message(0, {}, [&](hal::Message& m) { machine[1].release(m); });
  std::byte data[8]{};
  const auto sender = [&]() -> Task<> {
    for (int i = 0; i < 2; ++i) {
      hal::Message m;
      m.target = 1;
      m.data = data;
      m.bytes = 8;
      co_await os.send(m);
    }
  };
  os.spawn(sender(), "sender");
  machine.timeline.run();
  REQUIRE(machine.sent.size() == 2);
  CHECK(machine.sent[0].when == at_ns(100));
  CHECK(machine.sent[1].when == at_ns(200));
  CHECK(machine.sent[0].message.source == 0);
}

TEST_CASE("an active message runs a handler on the far node") {
  // Arrives at 1000 ns; interrupt 100 and handler 20 ns: its effects are due at 1120 ns.
  FakeMachine machine(2);
  Costs costs = free_of_charge();
  costs.interrupt = Cycles{100};
  costs.deposit = Cycles{20};
  Common common_of_near(free_of_charge()), common_of_far(costs);
  Os near(machine[0], common_of_near), far(machine[1], common_of_far);
  std::byte byte{};
  Time end{};
  far.on_message(7, {Cost::deposit}, [&](hal::Message& m) {
    byte = m.header[3];
    end = far.handler_end();
    machine[1].release(m);
  });
  hal::Message m;
  m.target = 1;
  m.handler = 7;
  m.header[3] = std::byte{42};
  near.send_at(Time{}, m);
  machine.timeline.run();
  CHECK(byte == std::byte{42});
  CHECK(end == at_ns(1120));
}

TEST_CASE("an active message starts a thread on the far node") {
  // Arrives at 1000 ns; interrupt 100 ns; making the thread 200, dispatching it 30 and its own work 5 ns: 1335 ns.
  FakeMachine machine(2);
  Costs costs = with_switch(30);
  costs.interrupt = Cycles{100};
  costs.thread_create = Cycles{200};
  Common common_of_near(free_of_charge()), common_of_far(costs);
  Os near(machine[0], common_of_near), far(machine[1], common_of_far);
  std::vector<Time> ends;
  far.on_message(0, {}, [&](hal::Message& m) {
    machine[1].release(m);
    far.spawn_at(far.handler_end(), compute(far, 5, ends), "request");
  });
  hal::Message m;
  m.target = 1;
  near.send_at(Time{}, m);
  machine.timeline.run();
  CHECK(ends == std::vector{at_ns(1335)});
}

TEST_CASE("a thread that a handler creates for a later time begins then") {
  // Its data are in memory at 5000 ns only.
  FakeMachine machine(2);
  Common common_of_near(free_of_charge()), common_of_far(free_of_charge());
  Os near(machine[0], common_of_near), far(machine[1], common_of_far);
  std::vector<Time> ends;
  far.on_message(0, {}, [&](hal::Message& m) {
    machine[1].release(m);
    far.spawn_at(at_ns(5000), compute(far, 5, ends), "request");
  });
  hal::Message m;
  m.target = 1;
  near.send_at(Time{}, m);
  machine.timeline.run();
  CHECK(ends == std::vector{at_ns(5005)});
}

TEST_CASE("a thread sleeps until the time it names, and not at all if that has passed") {
  FakeMachine machine(1);
  Common common(free_of_charge());
  Os os(machine[0], common);
  std::vector<Time> woken;
  const auto sleeper = [&]() -> Task<> {
    co_await os.sleep_until(at_ns(500));
    woken.push_back(os.now());
    co_await os.sleep_until(at_ns(400));
    woken.push_back(os.now());
  };
  os.spawn(sleeper(), "sleeper");
  machine.timeline.run();
  CHECK(woken == std::vector{at_ns(500), at_ns(500)});
}

TEST_CASE("a thread that sleeps again at once sleeps to the end") {
  // The frame of the first sleep is used again for the second, while the first is still being woken.
  FakeMachine machine(1);
  Common common(free_of_charge());
  Os os(machine[0], common);
  std::vector<Time> woken;
  const auto sleeper = [&]() -> Task<> {
    for (int i = 1; i <= 3; ++i) {
      co_await os.sleep_until(at_ns(100 * i));
      woken.push_back(os.now());
    }
  };
  os.spawn(sleeper(), "sleeper");
  machine.timeline.run();
  CHECK(woken == std::vector{at_ns(100), at_ns(200), at_ns(300)});
}

TEST_CASE("a thread that goes to sleep while an interrupt handler runs still wakes") {
  // The handler, from 1000 to 1100 ns, wakes a thread at its beginning; that wants to sleep until 1050 ns.
  FakeMachine machine(2);
  Costs costs = free_of_charge();
  costs.interrupt = Cycles{100};
  Common common_of_near(free_of_charge()), common_of_far(costs);
  Os near(machine[0], common_of_near), far(machine[1], common_of_far);
  WaitQueue queue(far, "a message");
  std::vector<Time> woken;
  const auto sleeper = [&]() -> Task<> {
    co_await queue.wait();
    co_await far.sleep_until(at_ns(1050));
    woken.push_back(far.now());
  };
  far.spawn(sleeper(), "sleeper");
  far.on_message(0, {}, [&](hal::Message& m) {
    machine[1].release(m);
    queue.wake_all();
  });
  hal::Message m;
  m.target = 1;
  near.send_at(Time{}, m);
  machine.timeline.run();
  CHECK(woken == std::vector{at_ns(1050)});
}

TEST_CASE("a queue that ends while it wakes its threads does no harm") {
  FakeMachine machine(1);
  Common common(free_of_charge());
  Os os(machine[0], common);
  auto queue = std::make_unique<WaitQueue>(os, "the end");
  std::vector<int> order;
  const auto waiter = [&](int number) -> Task<> {
    co_await queue->wait();
    order.push_back(number);
    if (number == 1) queue.reset();
  };
  os.spawn(waiter(1), "first");
  os.spawn(wait_rounds(*queue, 1, 2, order), "second");
  queue->wake_all();
  CHECK(order == std::vector{1, 2});
}

TEST_CASE("an exception in a thread reaches the caller that runs the machine") {
  FakeMachine machine(1);
  Common common(with_switch(10));
  Os os(machine[0], common);
  const auto thrower = [&]() -> Task<> {
    co_await os.settle();
    throw std::runtime_error("a thread failed");
  };
  os.spawn(thrower(), "thrower");
  CHECK_THROWS_WITH(machine.timeline.run(), "a thread failed");
}

TEST_CASE("threads that have not ended are destroyed with their executive and leave the queues they wait in") {
  FakeMachine machine(1);
  const auto alive = std::make_shared<int>(0);
  {
    Common common(free_of_charge());
    Os os(machine[0], common);
    WaitQueue queue(os, "nothing");
    const auto waiter = [&queue](std::shared_ptr<int>) -> Task<> { co_await queue.wait(); };
    for (int i = 0; i < 3; ++i) os.spawn(waiter(alive), "waiter");
    CHECK_FALSE(os.idle());
    CHECK(alive.use_count() == 4);
  }
  CHECK(alive.use_count() == 1);
}

TEST_CASE("the executive reports waiting threads and what they wait for") {
  FakeMachine machine(1);
  Common common(free_of_charge());
  Os os(machine[0], common);
  WaitQueue spring(os, "spring");
  std::vector<int> order;
  os.spawn(wait_rounds(spring, 1, 1, order), "tree");
  std::vector<std::string> lines;
  os.describe_waiting(lines);
  CHECK(lines == std::vector<std::string>{"node0: thread 'tree' waits for spring"});
  spring.wake_one();
  lines.clear();
  os.describe_waiting(lines);
  CHECK(lines.empty());
}

TEST_CASE("the DMA engine of a node moves memory and calls back") {
  FakeMachine machine(1);
  Common common(free_of_charge());
  Os os(machine[0], common);
  struct Done final : hal::Callback {
    bool ran = false;
    void run() override { ran = true; }
  } done;
  std::byte from[4]{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}}, to[4]{};
  os.node().dma().copy(to, from, 4, done);
  machine.timeline.run();
  CHECK(done.ran);
  CHECK(std::memcmp(to, from, 4) == 0);
}
