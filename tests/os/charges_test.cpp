// SPDX-License-Identifier: MIT
#include "sw/os/os.h"

#include <map>

#include "tests/support/catch.h"
#include "tests/support/fake_node.h"

using namespace sunstar;
using namespace sunstar::literals;
using namespace sunstar::os;
using test::at_ns;
using test::FakeMachine;
using test::free_of_charge;

namespace {

/// The figures of an executive by name.
std::map<std::string, double> figures(const Os& os) {
  StatisticSet set;
  os.add_statistics(set);
  std::map<std::string, double> all;
  set.for_each([&](const Statistic& s) { all[std::string(s.name)] = s.value(); });
  return all;
}

}  // namespace

TEST_CASE("charges are added up by kind of thread and by primitive, with counts") {
  // Two readers look up 3 blocks each at 10 cycles and copy 100 bytes at half a cycle; one program computes 7 cycles.
  FakeMachine machine(1);
  Costs costs = free_of_charge();
  costs.thread_switch = Cycles{5};
  costs.cache_lookup = Cycles{10};
  costs.copy_per_byte = Cycles{0.5};
  Common common(costs);
  Os os(machine[0], common);
  const auto reader = [&]() -> Task<> {
    os.charge(Cost::cache_lookup, 3);
    os.charge(Cost::copy_per_byte, 100);
    co_await os.settle();
  };
  const auto program = [&]() -> Task<> {
    os.compute(Cycles{7});
    co_await os.settle();
  };
  os.spawn(reader(), "read request");
  os.spawn(reader(), "read request");
  os.spawn(program(), "main");
  machine.timeline.run();
  CHECK(figures(os) == std::map<std::string, double>{{"node0.cycles.read_request.cache_lookup", 60},
                                                     {"node0.count.read_request.cache_lookup", 6},
                                                     {"node0.cycles.read_request.copy_per_byte", 100},
                                                     {"node0.count.read_request.copy_per_byte", 200},
                                                     {"node0.cycles.read_request.thread_switch", 10},
                                                     {"node0.count.read_request.thread_switch", 2},
                                                     {"node0.cycles.main.computing", 7},
                                                     {"node0.count.main.computing", 1},
                                                     {"node0.cycles.main.thread_switch", 5},
                                                     {"node0.count.main.thread_switch", 1}});
}

TEST_CASE("a thread pays for its creation, also when a handler asks for it") {
  FakeMachine machine(1);
  Costs costs = free_of_charge();
  costs.thread_create = Cycles{170};
  Common common(costs);
  Os os(machine[0], common);
  const auto nothing = []() -> Task<> { co_return; };
  os.spawn_at(Time{}, nothing(), "request");
  machine.timeline.run();
  CHECK(figures(os) == std::map<std::string, double>{{"node0.cycles.request.thread_create", 170},
                                                     {"node0.count.request.thread_create", 1},
                                                     {"node0.cycles.request.thread_switch", 0},
                                                     {"node0.count.request.thread_switch", 1}});
}

TEST_CASE("the costs of interrupt handlers are added up, too") {
  // Two messages of 8 bytes: each an interrupt, its handler's call, a reply action and a deposit.
  FakeMachine machine(2);
  Costs costs = free_of_charge();
  costs.interrupt = Cycles{60};
  costs.message_dispatch = Cycles{30};
  costs.reply_action = Cycles{25};
  costs.deposit = Cycles{35};
  Common common(costs);
  const Activity& activity = common.activity;
  Os near(machine[0], common), far(machine[1], common);
  far.on_message(0, {Cost::reply_action}, [&](hal::Message& m) {
    far.take(m);
    machine[1].release(m);
  });
  std::byte data[8]{};
  hal::Message m;
  m.target = 1;
  m.data = data;
  m.bytes = 8;
  near.send_at(Time{}, m);
  near.send_at(at_ns(5000), m);
  CHECK_FALSE(activity.none());
  machine.timeline.run();
  CHECK(activity.none());
  const auto all = figures(far);
  CHECK(all.at("node1.cycles.interrupt.interrupt") == 120);
  CHECK(all.at("node1.cycles.interrupt.message_dispatch") == 60);
  CHECK(all.at("node1.cycles.interrupt.reply_action") == 50);
  CHECK(all.at("node1.cycles.interrupt.deposit") == 70);
  CHECK(all.size() == 8);
}

TEST_CASE("one interrupt serves all messages that wait in the interface") {
  // A handler takes 90 ns. The second and the third message arrive before those before them are served, the last one
  // when all have been: it interrupts again.
  FakeMachine machine(2);
  Costs costs = free_of_charge();
  costs.interrupt = Cycles{60};
  costs.message_dispatch = Cycles{30};
  Common common(costs);
  Os near(machine[0], common), far(machine[1], common);
  std::vector<Time> ends;
  far.on_message(0, {}, [&](hal::Message& m) {
    ends.push_back(far.handler_end());
    far.receive(m);
  });
  hal::Message m;
  m.target = 1;
  for (const int at : {0, 50, 100, 150}) near.send_at(at_ns(at), m);
  machine.timeline.run();
  const Time first = at_ns(1000);  // the network's way
  CHECK(ends == std::vector<Time>{first + 90_ns, first + 120_ns, first + 150_ns, first + 240_ns});
  const auto all = figures(far);
  CHECK(all.at("node1.count.interrupt.interrupt") == 2);
  CHECK(all.at("node1.count.interrupt.message_dispatch") == 4);
}
