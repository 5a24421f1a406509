// SPDX-License-Identifier: MIT
#include "sw/os/observed.h"

#include "sw/messages/endpoint.h"
#include "tests/support/catch.h"
#include "tests/support/fake_node.h"

using namespace sunstar;
using namespace sunstar::literals;
using namespace sunstar::os;
using test::FakeMachine;
using test::free_of_charge;

namespace {

/// Writes down what it sees, with the time in nanoseconds.
struct Diary final : Observer {
  explicit Diary(Os& o) : os(o) { o.observe(*this); }
  void note(const std::string& what) {
    lines.push_back(std::to_string(os.now().time_since_epoch() / 1_ns) + " " + what);
  }
  static std::string of(hal::RequestId r) { return r ? " for " + std::to_string(r) : ""; }
  void ready(Thread& t) override { note(t.name() + std::string(" ready")); }
  void runs(Thread& t) override { note(t.name() + std::string(" runs") + of(t.request())); }
  void waits(Thread& t, const char* what) override {
    note(t.name() + std::string(" waits for ") + (what ? what : "-"));
  }
  void ends(Thread& t) override { note(t.name() + std::string(" ends")); }
  void sends(Thread& t, hal::RequestId r) override { note(t.name() + std::string(" sends") + of(r)); }
  void serves(Thread& t, hal::RequestId r) override { note(t.name() + std::string(" serves") + of(r)); }
  void interrupt_begins(const char* name, hal::RequestId r) override { note("[" + std::string(name) + of(r)); }
  void interrupt_ends(Time end) override { note("] until " + std::to_string(end.time_since_epoch() / 1_ns)); }
  void notes(const char* what, std::uint64_t, std::uint64_t block) override {
    note(what + std::string(" ") + std::to_string(block));
  }
  Os& os;
  std::vector<std::string> lines;
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("an observer sees a thread become ready, run, wait and end") {
  FakeMachine machine(1);
  Common common(free_of_charge());
  Os os(machine[0], common);
  Diary diary(os);
  WaitQueue bell(os, "the bell");
  const auto listens = [&]() -> Task<> {
    os.compute(Cycles{10});
    co_await os.settle();
    co_await bell.wait();
    os.note("hit", 1, 7);
    co_await os.give_way();
  };
  os.spawn(listens(), "listener");
  os.after(Time{50_ns}, [&] { bell.wake_one(); });
  machine.timeline.run();
  CHECK(diary.lines == Lines{"0 listener ready", "0 listener runs", "10 listener waits for the bell",
                             "50 listener ready", "50 listener runs", "50 hit 7", "50 listener ends"});
}

TEST_CASE("a message that asks for something begins a request, which its handler, its thread and the answer serve") {
  FakeMachine machine(2);
  Costs costs = free_of_charge();
  costs.interrupt = Cycles{100};
  costs.message_send = Cycles{10};
  Common common(costs);
  Os near(machine[0], common), far(machine[1], common);
  Diary here(near), there(far);
  const auto answers = [&]() -> Task<> {
    hal::Message m;
    m.target = 0;
    m.reply = true;
    co_await far.send(m);
  };
  far.on_message(
      0, {},
      [&](hal::Message& m) {
        machine[1].release(m);
        far.spawn_at(far.handler_end(), answers(), "server");
      },
      "question");
  near.on_message(
      0, {}, [&](hal::Message& m) { machine[0].release(m); }, "answer");
  const auto asks = [&]() -> Task<> {
    hal::Message m;
    m.target = 1;
    co_await near.send(m);
    co_await near.send(m);
  };
  near.spawn(asks(), "asker");
  machine.timeline.run();
  // Questions arrive at 1010 and 1020; the interrupt that serves both ends at 1110. The first server's 10 ns begin
  // then: its answer leaves at 1120, the other one at 1130. They wait together, too.
  CHECK(here.lines == Lines{"0 asker ready", "0 asker runs", "10 asker sends for 1", "20 asker sends for 2",
                            "20 asker ends", "2120 [answer for 1", "2120 ] until 2220", "2130 [answer for 2",
                            "2130 ] until 2220"});
  REQUIRE(there.lines.size() >= 6);
  CHECK(there.lines[0] == "1010 [question for 1");
  CHECK(there.lines[1] == "1010 server ready");
  CHECK(there.lines[2] == "1010 ] until 1110");
  CHECK(there.lines[3] == "1010 server runs for 1");
}

TEST_CASE("without an observer, no message has a request") {
  FakeMachine machine(2);
  Common common_of_near(free_of_charge()), common_of_far(free_of_charge());
  Os near(machine[0], common_of_near), far(machine[1], common_of_far);
  hal::RequestId seen = 99;
  far.on_message(0, {}, [&](hal::Message& m) {
    seen = m.request;
    machine[1].release(m);
  });
  const auto asks = [&]() -> Task<> {
    hal::Message m;
    m.target = 1;
    co_await near.send(m);
  };
  near.spawn(asks(), "asker");
  machine.timeline.run();
  CHECK(seen == 0);
}
