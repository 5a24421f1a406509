// SPDX-License-Identifier: MIT
#include "sw/messages/endpoint.h"

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

TEST_CASE("Memput writes into the far node's buffer and its acknowledgement wakes the sender") {
  // Sender: composing 100 ns. There at 1100 ns; interrupt 30 + checking and answering 20: the acknowledgement leaves
  // at 1150 and arrives at 2150 ns; interrupt 30 + reply action 7: the thread goes on at 2187 ns, the interrupt's end.
  FakeMachine machine(2);
  Costs costs = free_of_charge();
  costs.message_send = Cycles{100};
  costs.interrupt = Cycles{30};
  costs.remote_memory = Cycles{20};
  costs.reply_action = Cycles{7};
  Endpoints nodes(machine, costs);
  std::byte far[64]{}, near[8];
  std::ranges::fill(near, std::byte{9});
  RemoteMemory memory{far, sizeof far};
  nodes[1].offer(memory);
  ReplyAction action(nodes[0]);
  Time woken{};
  const auto body = [&]() -> Task<> {
    co_await nodes.os(0).send(nodes[0].memput(1, 16, near, 8, action.expect(1)));
    while (action.outstanding()) co_await action.arrival();
    nodes.os(0).compute(Cycles{0});
    woken = nodes.os(0).node().processor().interrupt(Cycles{0});  // when what the handler does takes effect
  };
  nodes.os(0).spawn(body(), "sender");
  machine.timeline.run();
  CHECK(machine[1].interrupts == 1);  // for its data the handler gets longer; there is no second interrupt
  for (int i = 0; i < 64; ++i) CHECK(far[i] == std::byte(i >= 16 && i < 24 ? 9 : 0));
  CHECK(woken == at_ns(2187));
  REQUIRE(machine.sent.size() == 2);
  CHECK(machine.sent[0].when == at_ns(100));
  CHECK(machine.sent[1].when == at_ns(1150));
  CHECK(machine.sent[1].message.reply);
  CHECK(machine.sent[1].message.bytes == 0);
  CHECK(memory.put_bytes == 8);
  CHECK(machine.unreleased() == 0);
}

TEST_CASE("Memget brings the far node's bytes to where the reply action says") {
  FakeMachine machine(2);
  Costs costs = free_of_charge();
  Endpoints nodes(machine, costs);
  std::byte far[64], near[24]{};
  for (int i = 0; i < 64; ++i) far[i] = std::byte(i);
  RemoteMemory memory{far, sizeof far};
  nodes[1].offer(memory);
  ReplyAction action(nodes[0]);
  bool woken = false;
  const auto body = [&]() -> Task<> {
    co_await nodes.os(0).send(nodes[0].memget(1, 40, 8, action.expect(1, near + 8)));
    while (action.outstanding()) co_await action.arrival();
    woken = true;
  };
  nodes.os(0).spawn(body(), "getter");
  machine.timeline.run();
  CHECK(woken);
  for (int i = 0; i < 24; ++i) CHECK(near[i] == std::byte(i >= 8 && i < 16 ? 40 + i - 8 : 0));
  CHECK(machine.sent[1].when == at_ns(1000));
  CHECK(memory.got_bytes == 8);
  CHECK(machine.unreleased() == 0);
}

TEST_CASE("the replies to many Memputs to many nodes each reach their own reply action") {
  FakeMachine machine(5);
  Endpoints nodes(machine, Costs{});
  std::vector<std::vector<std::byte>> far(5, std::vector<std::byte>(64));
  std::vector<RemoteMemory> memory(5);
  std::vector<ReplyAction> actions;
  for (std::size_t i = 0; i < 5; ++i) {
    memory[i] = {far[i].data(), 64};
    nodes[i].offer(memory[i]);
    actions.emplace_back(nodes[0]);
  }
  bool ended = false;
  const auto body = [&]() -> Task<> {
    for (int round = 0; round < 8; ++round)
      for (std::size_t i = 1; i < 5; ++i) {
        while (actions[i].outstanding()) co_await actions[i].arrival();
        std::byte data[8];
        std::ranges::fill(data, std::byte(i * 16 + static_cast<std::size_t>(round)));
        co_await nodes.os(0).send(nodes[0].memput(static_cast<hal::NodeId>(i), static_cast<std::uint64_t>(round) * 8,
                                                  data, 8, actions[i].expect(static_cast<hal::NodeId>(i))));
      }
    for (auto& action : actions)
      while (action.outstanding()) co_await action.arrival();
    ended = true;
  };
  nodes.os(0).spawn(body(), "sender");
  machine.timeline.run();
  CHECK(ended);
  for (std::size_t i = 1; i < 5; ++i)
    for (std::size_t b = 0; b < 64; ++b) CHECK(far[i][b] == std::byte(i * 16 + b / 8));
  CHECK(machine.sent.size() == 2 * 8 * 4);
}

TEST_CASE("one reply action can wait for several replies, each with its own destination") {
  FakeMachine machine(2);
  Endpoints nodes(machine, free_of_charge());
  std::byte far[64], near[24]{};
  for (int i = 0; i < 64; ++i) far[i] = std::byte(i);
  RemoteMemory memory{far, sizeof far};
  nodes[1].offer(memory);
  ReplyAction action(nodes[0]);
  int woken = 0;
  const auto body = [&]() -> Task<> {
    for (std::uint64_t i = 0; i < 3; ++i) {
      co_await nodes.os(0).send(nodes[0].memget(1, i * 16, 8, action.expect(1, near, i * 8)));
    }
    while (action.outstanding()) {
      co_await action.arrival();
      ++woken;
    }
  };
  nodes.os(0).spawn(body(), "getter");
  machine.timeline.run();
  CHECK(woken == 1);  // when the last has come
  for (int i = 0; i < 24; ++i) CHECK(near[i] == std::byte(i / 8 * 16 + i % 8));
}

TEST_CASE("a message's header arrives as it was sent, and kinds do not mix") {
  struct Order {
    std::uint32_t cups;
    std::uint8_t sugar;
    double milk;
  };
  struct Bill {
    std::uint64_t cents;
  };
  FakeMachine machine(2);
  Endpoints nodes(machine, free_of_charge());
  const Kind<Order> order(nodes.protocol.numbers, "order");
  const Kind<Bill> bill(nodes.protocol.numbers, "bill");
  std::vector<std::string> got;
  order.on_arrival(nodes.os(1), [&](hal::Message& m) {
    const Order o = Kind<Order>::header(m);
    got.push_back(std::to_string(o.cups) + "," + std::to_string(o.sugar) + "," + std::to_string(o.milk));
    nodes.os(1).node().network().release(m);
  });
  bill.on_arrival(nodes.os(1), [&](hal::Message& m) {
    got.push_back(std::to_string(Kind<Bill>::header(m).cents));
    nodes.os(1).node().network().release(m);
  });
  nodes.os(0).send_at(Time{}, order.message(nodes[1].id(), {3, 2, 0.5}));
  nodes.os(0).send_at(at_ns(100), bill.message(nodes[1].id(), {720}));
  machine.timeline.run();
  CHECK(got == std::vector<std::string>{"3,2,0.500000", "720"});
}
