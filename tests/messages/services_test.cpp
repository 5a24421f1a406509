// SPDX-License-Identifier: MIT
#include "sw/messages/services.h"

#include "tests/support/catch.h"
#include "tests/support/fake_node.h"

using namespace sunstar;
using namespace sunstar::literals;
using namespace sunstar::os;
using test::at_ns;
using test::FakeMachine;
using test::free_of_charge;

namespace {

std::vector<std::unique_ptr<Os>> executives(FakeMachine& machine, const Costs& costs) {
  std::vector<std::unique_ptr<Os>> all;
  for (std::size_t i = 0; i < machine.size(); ++i) all.push_back(std::make_unique<Os>(machine[i], costs));
  return all;
}

std::vector<Os*> pointers(const std::vector<std::unique_ptr<Os>>& all) {
  std::vector<Os*> p;
  for (const auto& os : all) p.push_back(os.get());
  return p;
}

/// Arrives at the barrier at the given times and notes when it was let go.
Task<> visitor(Os& os, Barrier& barrier, std::size_t member, std::vector<Time> arrivals, std::vector<Time>& let_go) {
  for (const Time t : arrivals) {
    co_await os.sleep_until(t);
    co_await barrier.wait(member);
    let_go.push_back(os.now());
  }
}

}  // namespace

TEST_CASE("a barrier lets nobody go before the last has come, in whatever order they come") {
  // With a message a microsecond: members tell the first, the first tells all. If a member comes last, at 10 us, the
  // first knows at 11 us and the others at 12 us; if the first comes last, it knows at once.
  std::vector<std::int64_t> arrival{100, 3'000, 6'000, 10'000};
  do {
    FakeMachine machine(4);
    const auto os = executives(machine, free_of_charge());
    Barrier barrier(pointers(os));
    std::vector<std::vector<Time>> let_go(4);
    for (std::size_t i = 0; i < 4; ++i)
      os[i]->spawn(visitor(*os[i], barrier, i, {at_ns(arrival[i])}, let_go[i]), "visitor");
    machine.timeline.run();
    const std::int64_t known = arrival[0] == 10'000 ? 10'000 : 11'000;
    CHECK(let_go[0] == std::vector{at_ns(known)});
    for (std::size_t i = 1; i < 4; ++i) CHECK(let_go[i] == std::vector{at_ns(known + 1'000)});
    CHECK(machine.sent.size() == 6);
    CHECK(machine.unreleased() == 0);
  } while (std::ranges::next_permutation(arrival).found);
}

TEST_CASE("a barrier can be used again and again, by members that come early for the next round") {
  FakeMachine machine(3);
  Costs costs = free_of_charge();
  costs.message_send = Cycles{500};
  costs.interrupt = Cycles{300};
  costs.thread_switch = Cycles{100};
  const auto os = executives(machine, costs);
  Barrier barrier(pointers(os));
  std::vector<std::vector<Time>> let_go(3);
  for (std::size_t i = 0; i < 3; ++i)
    os[i]->spawn(visitor(*os[i], barrier, i, std::vector<Time>(50), let_go[i]), "visitor");
  machine.timeline.run();
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE(let_go[i].size() == 50);
    CHECK(os[i]->idle());
    // No round ends anywhere before the round before has ended everywhere.
    for (std::size_t round = 1; round < 50; ++round)
      for (std::size_t j = 0; j < 3; ++j) CHECK(let_go[i][round] > let_go[j][round - 1]);
  }
  CHECK(machine.sent.size() == 50 * 4);
}

TEST_CASE("a barrier of one lets go at once, without a message") {
  FakeMachine machine(1);
  const auto os = executives(machine, free_of_charge());
  Barrier barrier(pointers(os));
  std::vector<Time> let_go;
  os[0]->spawn(visitor(*os[0], barrier, 0, {Time{}, Time{}}, let_go), "visitor");
  CHECK(let_go.size() == 2);
  CHECK(machine.sent.empty());
}

TEST_CASE("Memput writes into the far node's buffer and its acknowledgement wakes the sender") {
  // Sender: composing 100 ns. There at 1100 ns; interrupt 30 + checking 20 + composing the acknowledgement 100: it
  // leaves at 1250 and arrives at 2250 ns; interrupt 30 + reply action 7: the thread goes on at 2287 ns, the interrupt
  // at its end.
  FakeMachine machine(2);
  Costs costs = free_of_charge();
  costs.message_send = Cycles{100};
  costs.interrupt = Cycles{30};
  costs.remote_memory = Cycles{20};
  costs.reply_action = Cycles{7};
  const auto os = executives(machine, costs);
  std::byte far[64]{}, near[8];
  std::ranges::fill(near, std::byte{9});
  RemoteMemory memory{far, sizeof far};
  install_replies(*os[0]);
  install_remote_memory(*os[1], memory);
  ReplyAction action(*os[0]);
  Time woken{};
  const auto body = [&]() -> Task<> {
    action.expect();
    co_await os[0]->send(memput(1, 16, near, 8, action));
    while (action.outstanding()) co_await action.arrival();
    os[0]->charge(Cycles{0});
    woken = os[0]->node().processor().interrupt(Cycles{0});  // when what the handler does takes effect
  };
  os[0]->spawn(body(), "sender");
  machine.timeline.run();
  for (int i = 0; i < 64; ++i) CHECK(far[i] == std::byte(i >= 16 && i < 24 ? 9 : 0));
  CHECK(woken == at_ns(2287));
  REQUIRE(machine.sent.size() == 2);
  CHECK(machine.sent[0].when == at_ns(100));
  CHECK(machine.sent[1].when == at_ns(1250));
  CHECK(machine.sent[1].message.reply);
  CHECK(machine.sent[1].message.bytes == 0);
  CHECK(memory.put_bytes == 8);
  CHECK(machine.unreleased() == 0);
}

TEST_CASE("Memget brings the far node's bytes to where the reply action says") {
  FakeMachine machine(2);
  Costs costs = free_of_charge();
  const auto os = executives(machine, costs);
  std::byte far[64], near[24]{};
  for (int i = 0; i < 64; ++i) far[i] = std::byte(i);
  RemoteMemory memory{far, sizeof far};
  install_replies(*os[0]);
  install_remote_memory(*os[1], memory);
  ReplyAction action(*os[0]);
  bool woken = false;
  const auto body = [&]() -> Task<> {
    action.expect(near + 8);
    co_await os[0]->send(memget(1, 40, 8, action));
    while (action.outstanding()) co_await action.arrival();
    woken = true;
  };
  os[0]->spawn(body(), "getter");
  machine.timeline.run();
  CHECK(woken);
  for (int i = 0; i < 24; ++i) CHECK(near[i] == std::byte(i >= 8 && i < 16 ? 40 + i - 8 : 0));
  CHECK(machine.sent[1].when == at_ns(1000));
  CHECK(memory.got_bytes == 8);
  CHECK(machine.unreleased() == 0);
}

TEST_CASE("many Memputs to many nodes are answered each to its own reply action") {
  FakeMachine machine(5);
  const auto os = executives(machine, Costs{});
  std::vector<std::vector<std::byte>> far(5, std::vector<std::byte>(64));
  std::vector<RemoteMemory> memory(5);
  std::vector<ReplyAction> actions;
  for (std::size_t i = 0; i < 5; ++i) {
    memory[i] = {far[i].data(), 64};
    install_replies(*os[i]);
    install_remote_memory(*os[i], memory[i]);
    actions.emplace_back(*os[0]);
  }
  bool ended = false;
  const auto body = [&]() -> Task<> {
    for (int round = 0; round < 8; ++round)
      for (std::size_t i = 1; i < 5; ++i) {
        while (actions[i].outstanding()) co_await actions[i].arrival();
        std::byte data[8];
        std::ranges::fill(data, std::byte(i * 16 + static_cast<std::size_t>(round)));
        actions[i].expect();
        co_await os[0]->send(
            memput(static_cast<hal::NodeId>(i), static_cast<std::uint64_t>(round) * 8, data, 8, actions[i]));
      }
    for (auto& action : actions)
      while (action.outstanding()) co_await action.arrival();
    ended = true;
  };
  os[0]->spawn(body(), "sender");
  machine.timeline.run();
  CHECK(ended);
  for (std::size_t i = 1; i < 5; ++i)
    for (std::size_t b = 0; b < 64; ++b) CHECK(far[i][b] == std::byte(i * 16 + b / 8));
  CHECK(machine.sent.size() == 2 * 8 * 4);
}

TEST_CASE("one reply action can wait for several replies, each with its place") {
  FakeMachine machine(2);
  const auto os = executives(machine, free_of_charge());
  std::byte far[64], near[24]{};
  for (int i = 0; i < 64; ++i) far[i] = std::byte(i);
  RemoteMemory memory{far, sizeof far};
  install_replies(*os[0]);
  install_remote_memory(*os[1], memory);
  ReplyAction action(*os[0]);
  int woken = 0;
  const auto body = [&]() -> Task<> {
    for (std::uint64_t i = 0; i < 3; ++i) {
      action.expect(near);
      co_await os[0]->send(memget(1, i * 16, 8, action, i * 8));
    }
    while (action.outstanding()) {
      co_await action.arrival();
      ++woken;
    }
  };
  os[0]->spawn(body(), "getter");
  machine.timeline.run();
  CHECK(woken == 1);  // when the last has come
  for (int i = 0; i < 24; ++i) CHECK(near[i] == std::byte(i / 8 * 16 + i % 8));
}
