// SPDX-License-Identifier: MIT
#include "sw/messages/peers.h"

#include <optional>

#include "sw/messages/barrier.h"
#include "tests/support/catch.h"
#include "tests/support/endpoints.h"

using namespace sunstar;
using namespace sunstar::literals;
using namespace sunstar::messages;
using os::Task;
using test::Endpoints;
using test::FakeMachine;

namespace {

/// Nodes that notice when others are gone; a node that is off takes no message and sends none.
struct Mortals {
  explicit Mortals(std::size_t n) : machine(n), nodes(machine, test::free_of_charge()), off(n) {
    nodes.common.peers = os::Watched{};
    machine.copies = [this](const hal::Message& m) { return off[m.source] || off[m.target] ? 0 : 1; };
  }
  void at(Time t, std::function<void()> action) { machine.timeline.at(t, std::move(action)); }
  FakeMachine machine;
  Endpoints nodes;
  std::vector<char> off;
};

}  // namespace

TEST_CASE("a request to a node that is gone fails after its questions have had no answer, and the next one at once") {
  Mortals m(3);
  RemoteMemory memory{m.machine[1].allocate(64), 64, &m.machine[1].memory()};
  m.nodes[1].offer(memory);
  m.off[1] = 1;
  ReplyAction action(m.nodes[0]);
  std::byte* const near = m.machine[0].allocate(8);
  std::vector<std::pair<Time, hal::Status>> ended;
  const auto body = [&]() -> Task<> {
    for (int i = 0; i < 2; ++i) {
      co_await m.nodes.os(0).send(m.nodes[0].memget(1, 0, 8, action.expect(1, near)));
      while (action.outstanding()) co_await action.arrival();
      ended.emplace_back(m.machine.timeline.now(), action.take_status());
    }
  };
  m.nodes.os(0).spawn(body(), "asker");
  m.machine.timeline.run(Time{100'000_ms});
  REQUIRE(ended.size() == 2);
  CHECK(ended[0].first == Time{5'000_ms});  // asked after 1, 2, 3 and 4 s
  CHECK(ended[0].second == hal::Status::no_answer);
  CHECK(ended[1].first == ended[0].first);
  CHECK(ended[1].second == hal::Status::no_answer);
  CHECK(m.nodes[0].peers().was_lost(1));
  CHECK_FALSE(m.nodes[0].peers().was_lost(2));
}

TEST_CASE("a node that is slow is asked, and waited for, and its answers after it was given up are dropped") {
  Mortals m(2);
  RemoteMemory memory{m.machine[1].allocate(64), 64, &m.machine[1].memory()};
  std::memset(memory.base, 7, 64);
  ReplyAction action(m.nodes[0]);
  std::byte* const near = m.machine[0].allocate(8);
  near[0] = std::byte{0};
  hal::Status status = hal::Status::refused;
  ReplyTo asked;
  const auto body = [&]() -> Task<> {
    asked = action.expect(1, near);
    while (action.outstanding()) co_await action.arrival();
    status = action.take_status();
  };
  m.nodes.os(0).spawn(body(), "asker");
  const auto answer = [&](ReplyTo to) -> Task<> {
    co_await m.nodes.os(1).send(m.nodes[1].reply(0, to, memory.base, 8));
  };
  SECTION("it answers in the end") {
    m.at(Time{20'000_ms}, [&] { m.nodes.os(1).spawn(answer(asked), "slow"); });
    m.machine.timeline.run(Time{100'000_ms});
    CHECK(status == hal::Status::ok);
    CHECK(near[0] == std::byte{7});
  }
  SECTION("it is cut off for a while, and answers then") {
    m.off[1] = 1;
    m.at(Time{20'000_ms}, [&] {
      m.off[1] = 0;
      m.nodes.os(1).spawn(answer(asked), "slow");
    });
    m.machine.timeline.run(Time{100'000_ms});
    CHECK(status == hal::Status::no_answer);
    CHECK(near[0] == std::byte{0});
    CHECK(m.machine.unreleased() == 0);
  }
}

TEST_CASE("a late answer to an earlier request is not taken for one to a later request") {
  Mortals m(2);
  std::byte* const far = m.machine[1].allocate(8);
  ReplyAction action(m.nodes[0]);
  std::byte* const near = m.machine[0].allocate(8);
  near[0] = std::byte{0};
  std::vector<ReplyTo> asked;
  std::vector<std::pair<Time, hal::Status>> ended;
  const auto asker = [&]() -> Task<> {
    for (const Time when : {Time{}, Time{20'000_ms}}) {
      co_await m.nodes.os(0).sleep_until(when);
      asked.push_back(action.expect(1, near));
      while (action.outstanding()) co_await action.arrival();
      ended.emplace_back(m.machine.timeline.now(), action.take_status());
    }
  };
  m.nodes.os(0).spawn(asker(), "asker");
  const auto answer = [&](ReplyTo to, std::byte with) -> Task<> {
    far[0] = with;
    co_await m.nodes.os(1).send(m.nodes[1].reply(0, to, far, 8));
  };
  m.off[1] = 1;
  m.at(Time{20'100_ms}, [&] {
    m.off[1] = 0;
    m.nodes.os(1).spawn(answer(asked.at(0), std::byte{7}), "late");
  });
  m.at(Time{20'200_ms}, [&] { m.nodes.os(1).spawn(answer(asked.at(1), std::byte{9}), "in time"); });
  m.machine.timeline.run(Time{100'000_ms});
  REQUIRE(ended.size() == 2);
  CHECK(ended[0].second == hal::Status::no_answer);
  CHECK(ended[1].second == hal::Status::ok);
  CHECK(ended[1].first > Time{20'200_ms});
  CHECK(near[0] == std::byte{9});
}

TEST_CASE("a node that was started again is gone as soon as it says so, or refuses a message") {
  Mortals m(2);
  RemoteMemory memory{m.machine[1].allocate(64), 64, &m.machine[1].memory()};
  m.nodes[1].offer(memory);
  m.off[1] = 1;
  std::optional<os::Os> again;
  std::optional<Endpoint> there;
  m.at(Time{1'500_ms}, [&] {
    m.off[1] = 0;
    there.emplace(again.emplace(m.machine[1], m.nodes.common, 2), m.nodes.protocol).refuse_all();
  });
  ReplyAction action(m.nodes[0]);
  std::byte* const near = m.machine[0].allocate(8);
  std::vector<std::pair<Time, hal::Status>> ended;
  const auto body = [&]() -> Task<> {
    for (const Time when : {Time{}, Time{2'500_ms}, Time{20'000_ms}}) {
      co_await m.nodes.os(0).sleep_until(when);
      co_await m.nodes.os(0).send(m.nodes[0].memget(1, 0, 8, action.expect(1, near)));
      while (action.outstanding()) co_await action.arrival();
      ended.emplace_back(m.machine.timeline.now(), action.take_status());
    }
  };
  m.nodes.os(0).spawn(body(), "asker");
  m.machine.timeline.run(Time{100'000_ms});
  REQUIRE(ended.size() == 3);
  // Asked after one second and two; tried again, and refused, at 20.
  const Time most[] = {Time{2'001_ms}, Time{2'501_ms}, Time{20'001_ms}};
  for (std::size_t i = 0; i < 3; ++i) CHECK(ended[i].first < most[i]);
  for (const auto& [when, status] : ended) CHECK(status == hal::Status::no_answer);
  CHECK(m.nodes[0].peers().losses() == 2);
  CHECK(m.machine.unreleased() == 0);
}

TEST_CASE("no node waits for longer than its patience, though the other one is there") {
  Mortals m(2);
  m.nodes.common.peers->patience = 50'000_ms;
  ReplyAction action(m.nodes[0]);
  hal::Status status = hal::Status::ok;
  const auto body = [&]() -> Task<> {
    action.expect(1);
    while (action.outstanding()) co_await action.arrival();
    status = action.take_status();
  };
  m.nodes.os(0).spawn(body(), "asker");
  m.machine.timeline.run(Time{1'000'000_ms});
  CHECK(status == hal::Status::no_answer);
  CHECK(m.machine.timeline.now() < Time{60'000_ms});
}

TEST_CASE("a barrier goes on without any dead members, and tells members that were given up") {
  for (const std::vector<std::size_t>& dead : {std::vector<std::size_t>{3}, {0}, {0, 1}, {0, 3}, {1, 2, 3}}) {
    Mortals m(4);
    Barrier barrier(m.nodes.all(), m.nodes.protocol.numbers);
    std::vector<hal::NodeId> fenced;
    m.nodes.common.fence = [&](hal::NodeId node) { fenced.push_back(node); };
    std::vector<std::vector<Time>> passed(4);
    const auto visitor = [&](std::size_t i) -> Task<> {
      for (int round = 0; round < 4; ++round) {
        co_await m.nodes.os(i).sleep_until(Time{(round + 1) * 20'000_ms});
        co_await barrier.wait(i);
        passed[i].push_back(m.machine.timeline.now());
      }
    };
    for (std::size_t i = 0; i < 4; ++i) m.nodes.os(i).spawn(visitor(i), "visitor");
    m.at(Time{30'000_ms}, [&] {
      for (const std::size_t i : dead) m.off[i] = 1;
    });
    // A node that is there again after all is told that it is no longer one of them.
    m.at(Time{65'000_ms}, [&] { std::ranges::fill(m.off, 0); });
    m.machine.timeline.run(Time{300'000_ms});
    std::size_t first = 0;
    while (std::ranges::find(dead, first) != dead.end()) ++first;
    for (std::size_t i = 0; i < 4; ++i) {
      if (std::ranges::find(dead, i) != dead.end()) continue;
      INFO(i);
      REQUIRE(passed[i].size() == 4);
      CHECK(passed[i][0] < Time{20'001_ms});
      CHECK(passed[i][1] > Time{44'000_ms});  // it took time to find out
      CHECK(passed[i][1] < Time{60'000_ms});
      CHECK(barrier.first(i) == first);
    }
  }
}

TEST_CASE("a member that comes to a barrier after the others have given it up is told, each time") {
  Mortals m(3);
  Barrier barrier(m.nodes.all(), m.nodes.protocol.numbers);
  std::vector<hal::NodeId> fenced;
  m.nodes.common.fence = [&](hal::NodeId node) { fenced.push_back(node); };
  const auto visitor = [&](std::size_t i, std::vector<Time> when) -> Task<> {
    for (const Time t : when) {
      co_await m.nodes.os(i).sleep_until(t);
      co_await barrier.wait(i);
    }
  };
  const std::vector<Time> on_time{Time{20'000_ms}, Time{40'000_ms}, Time{80'000_ms}};
  for (std::size_t i : {0, 1}) m.nodes.os(i).spawn(visitor(i, on_time), "visitor");
  m.nodes.os(2).spawn(visitor(2, {Time{20'000_ms}, Time{60'000_ms}}), "late");
  m.at(Time{30'000_ms}, [&] { m.off[2] = 1; });
  m.at(Time{50'000_ms}, [&] { m.off[2] = 0; });
  m.machine.timeline.run(Time{100'000_ms});
  CHECK(fenced == std::vector<hal::NodeId>{2});
}

TEST_CASE("members that the first of a barrier released before it was gone tell the next one, which does not wait") {
  Mortals m(3);
  Barrier barrier(m.nodes.all(), m.nodes.protocol.numbers);
  // The first one is gone between its two releases.
  m.machine.copies = [&m](const hal::Message& message) {
    if (m.off[message.source] || m.off[message.target] || (message.source == 0 && message.target == 1)) return 0;
    if (message.source == 0) m.off[0] = 1;
    return 1;
  };
  std::vector<Time> passed(3);
  const auto visitor = [&](std::size_t i) -> Task<> {
    co_await barrier.wait(i);
    passed[i] = m.machine.timeline.now();
  };
  for (std::size_t i = 0; i < 3; ++i) m.nodes.os(i).spawn(visitor(i), "visitor");
  m.machine.timeline.run(Time{100'000_ms});
  CHECK(passed[2] > Time{});
  CHECK(passed[2] < Time{1'000_ms});
  CHECK(passed[1] > Time{4'000_ms});
  CHECK(passed[1] < Time{10'000_ms});
}
