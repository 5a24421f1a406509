// SPDX-License-Identifier: MIT
#include "sw/os/os.h"

#include <deque>

#include "sw/os/mutex.h"
#include "tests/support/catch.h"
#include "tests/support/fake_node.h"

using namespace sunstar;
using namespace sunstar::literals;
using namespace sunstar::os;
using test::at_ns;
using test::FakeMachine;
using test::free_of_charge;

namespace {

using Ends = std::vector<Time>;

Costs costly_switch(double cycles) {
  Costs costs = free_of_charge();
  costs.thread_switch = Cycles{cycles};
  return costs;
}

/// Computes for `cycles` and notes when it has ended.
Task<> occupy(Os& os, double cycles, Ends& ends) {
  os.compute(Cycles{cycles});
  co_await os.settle();
  ends.push_back(os.now());
}

/// A node with several cores; messages to it come from two others.
struct CoresRig {
  explicit CoresRig(std::uint32_t cores, const Costs& costs = costly_switch(100),
                    hal::Interrupts interrupted = hal::Interrupts::first_core)
      : machine(3) {
    machine[0].set_cores(cores, interrupted);
    os.emplace(machine[0], commons.emplace_back(costs));
    for (int i = 1; i <= 2; ++i)
      others.push_back(std::make_unique<Os>(machine[static_cast<std::size_t>(i)], commons.emplace_back(costs)));
  }
  /// Each of the others sends a message, which arrives after 1 us.
  void send_from_both() {
    for (auto& other : others) {
      hal::Message m;
      m.handler = 1;
      other->send_at(Time{}, m);
    }
  }
  FakeMachine machine;
  std::deque<Common> commons;  // of each executive its own
  std::optional<Os> os;
  std::vector<std::unique_ptr<Os>> others;
  Ends ends;
};

}  // namespace

TEST_CASE("two threads of equal work on two cores end at the same time, a third one waits for a core") {
  // Switch 100 ns and 50 ns of work.
  CoresRig rig(2);
  for (int i = 0; i < 3; ++i) rig.os->spawn(occupy(*rig.os, 50, rig.ends), "thread");
  CHECK(rig.os->ready_threads() == 1);
  rig.machine.timeline.run();
  CHECK(rig.ends == Ends{at_ns(150), at_ns(150), at_ns(300)});
  CHECK(rig.os->idle());
}

TEST_CASE("an urgent thread gets the first core that is free") {
  CoresRig rig(2);
  for (int i = 0; i < 3; ++i) rig.os->spawn(occupy(*rig.os, 50 + 10 * i, rig.ends), "thread");
  Ends urgent;
  rig.os->spawn(occupy(*rig.os, 5, urgent), "driver", {.urgent = true});
  rig.machine.timeline.run();
  CHECK(urgent == Ends{at_ns(150 + 105)});
}

TEST_CASE("a thread that another has woken begins when that one's stretch has ended") {
  // The first computes 40 ns after a switch of 100, wakes the second and computes 60 more: 200. Then a switch and 50.
  CoresRig rig(2);
  Os& os = *rig.os;
  WaitQueue queue(os, "the first");
  const auto wakes = [&]() -> Task<> {
    os.compute(Cycles{40});
    queue.wake_one();
    co_await occupy(os, 60, rig.ends);
  };
  const auto waits = [&]() -> Task<> {
    co_await queue.wait();
    co_await occupy(os, 50, rig.ends);
  };
  os.spawn(waits(), "second");
  os.spawn(wakes(), "first");
  rig.machine.timeline.run();
  CHECK(rig.ends == Ends{at_ns(200), at_ns(350)});
}

TEST_CASE("a thread that waits keeps its core until what it has charged is computed") {
  // It charges 500 ns and waits; it is woken at 100. It goes on at 600, by a switch, on any core.
  CoresRig rig(3);
  Os& os = *rig.os;
  WaitQueue queue(os, "the other");
  const auto waits = [&]() -> Task<> {
    os.compute(Cycles{500});
    co_await queue.wait();
    co_await occupy(os, 1, rig.ends);
  };
  const auto wakes = [&]() -> Task<> {
    co_await os.settle();
    queue.wake_one();
  };
  os.spawn(waits(), "waits");
  os.spawn(wakes(), "wakes");
  rig.machine.timeline.run();
  CHECK(rig.ends == Ends{at_ns(701)});
}

TEST_CASE("a thread that gives way lets those go first that it has woken") {
  CoresRig rig(2, costly_switch(10));
  Os& os = *rig.os;
  std::vector<int> order;
  const auto note = [&](int n) -> Task<> {
    order.push_back(n);
    co_await os.settle();
  };
  const auto first = [&]() -> Task<> {
    for (int i = 1; i <= 2; ++i) os.spawn(note(i), "note");
    co_await os.give_way();
    order.push_back(3);
  };
  os.spawn(first(), "first");
  rig.machine.timeline.run();
  CHECK(order == std::vector{1, 2, 3});
}

TEST_CASE("what a handler wakes runs on another core, when the handler has ended") {
  Costs costs = costly_switch(100);
  costs.interrupt = Cycles{300};
  CoresRig rig(2, costs);
  Os& os = *rig.os;
  os.on_message(1, {}, [&](hal::Message& m) { os.spawn_at(os.receive(m), occupy(os, 50, rig.ends), "request"); });
  rig.send_from_both();
  rig.machine.timeline.run();
  // The second message is found by the same interrupt, at once after the first.
  CHECK(rig.ends == Ends{at_ns(1450), at_ns(1450)});
  CHECK(rig.machine[0].interrupts == 1);
}

TEST_CASE("messages interrupt the first core one after the other, or each source's core") {
  Costs costs = costly_switch(0);
  costs.message_dispatch = Cycles{200};
  for (const bool spread : {false, true}) {
    CoresRig rig(2, costs, spread ? hal::Interrupts::spread : hal::Interrupts::first_core);
    Os& os = *rig.os;
    os.on_message(1, {}, [&](hal::Message& m) { os.spawn_at(os.receive(m), occupy(os, 1, rig.ends), "request"); });
    rig.send_from_both();
    rig.machine.timeline.run();
    CHECK(rig.ends == (spread ? Ends{at_ns(1201), at_ns(1201)} : Ends{at_ns(1201), at_ns(1401)}));
    CHECK(rig.machine[0].core(1).interrupts == (spread ? 1 : 0));
  }
}

TEST_CASE("a handler interrupts the thread of its core only") {
  Costs costs = free_of_charge();
  costs.interrupt = Cycles{300};
  CoresRig rig(2, costs);
  Os& os = *rig.os;
  os.on_message(1, {}, [&](hal::Message& m) { os.receive(m); });
  for (int i = 0; i < 2; ++i) os.spawn(occupy(os, 5000, rig.ends), "thread");
  rig.send_from_both();
  rig.machine.timeline.run();
  CHECK(rig.ends == Ends{at_ns(5000), at_ns(5300)});
}

TEST_CASE("a disk's end interrupts the core that has given the command, if interrupts are spread") {
  struct Command final : BlockWork {
    explicit Command(Os& os) : done(os, "the disk") {}
    void ended() override { done.wake_all(); }
    WaitQueue done;
  };
  Costs costs = free_of_charge();
  costs.interrupt = Cycles{300};
  for (const bool spread : {false, true}) {
    CoresRig rig(4, costs, spread ? hal::Interrupts::spread : hal::Interrupts::first_core);
    Os& os = *rig.os;
    test::FakeDisk& disk = rig.machine[0].add_disk(10);
    const auto reads = [&]() -> Task<> {
      Command command(os);
      command.sectors = 1;
      command.data = {rig.machine[0].allocate(512)};
      os.submit(disk, command);
      co_await command.done.wait();
      rig.ends.push_back(os.now());
    };
    os.spawn(reads(), "reader");
    rig.machine.timeline.run();
    CHECK(rig.ends == Ends{Time{1_ms} + 300_ns});
    CHECK(rig.machine[0].core(0).interrupts == (spread ? 0 : 1));
    CHECK(rig.machine[0].core(3).interrupts == (spread ? 1 : 0));
  }
}

TEST_CASE("a thread's computing under a mutex is done before another one has it, on any core") {
  CoresRig rig(2, costly_switch(0));
  Os& os = *rig.os;
  Mutex mutex(os);
  const auto critical = [&]() -> Task<> {
    {
      const auto guard = co_await mutex.lock();
      os.compute(Cycles{100});
    }
    co_await os.settle();
    rig.ends.push_back(os.now());
  };
  for (int i = 0; i < 2; ++i) os.spawn(critical(), "critical");
  rig.machine.timeline.run();
  CHECK(rig.ends == Ends{at_ns(100), at_ns(200)});
  CHECK_FALSE(mutex.held());
}

TEST_CASE("copies of several cores share the memory, those of an only core do not wait for it") {
  // 1000 bytes take 500 ns of the processor; the bus moves 2000 bytes in 400 ns.
  Costs costs = free_of_charge();
  costs.copy_per_byte = Cycles{0.5};
  for (const std::uint32_t cores : {1u, 2u, 4u}) {
    CoresRig rig(cores, costs);
    rig.machine[0].memory_time = 200_ps;
    Os& os = *rig.os;
    const auto copies = [&]() -> Task<> {
      os.charge_copy(1000);
      co_await os.settle();
      rig.ends.push_back(os.now());
    };
    for (int i = 0; i < 4; ++i) os.spawn(copies(), "copies");
    rig.machine.timeline.run();
    if (cores == 1) CHECK(rig.ends == Ends{at_ns(500), at_ns(1000), at_ns(1500), at_ns(2000)});
    // The third begins at 500, when the bus has 300 ns of the second before it.
    else CHECK(rig.ends == Ends{at_ns(500), at_ns(800), at_ns(1200), at_ns(1600)});
  }
}

TEST_CASE("threads of a node with several cores that loses its power end with it") {
  Costs costs = free_of_charge();
  costs.interrupt = Cycles{300};
  CoresRig rig(2, costs);
  Os& os = *rig.os;
  os.on_message(1, {}, [&](hal::Message& m) { os.spawn_at(os.receive(m), occupy(os, 50, rig.ends), "request"); });
  for (int i = 0; i < 3; ++i) os.spawn(occupy(os, 1200, rig.ends), "thread");
  rig.send_from_both();
  rig.machine.timeline.at(at_ns(1100), [&] { os.power_off(); });
  rig.machine.timeline.run();
  CHECK(rig.ends.empty());
  CHECK(rig.machine.unreleased() == 0);
}
