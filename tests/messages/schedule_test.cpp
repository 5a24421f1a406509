// SPDX-License-Identifier: MIT
#include "sw/messages/exchange.h"

#include <map>
#include <set>
#include <tuple>

#include "tests/support/catch.h"

using sunstar::messages::all_to_all;
using sunstar::messages::allreduce;
using sunstar::messages::allreduce_ring;
using sunstar::messages::neighbours;
using sunstar::messages::Schedule;

namespace {

using Receivers = std::vector<std::uint32_t>;

Receivers sent_to(const Schedule& schedule, std::uint32_t member, std::uint32_t step = 0) {
  Receivers peers;
  for (const Schedule::Message& m : schedule.step(member, step).sends) peers.push_back(m.peer);
  return peers;
}

/// What each process has learnt at the end: whose vectors, or, of a part of the vector, whose parts. `part(member,
/// step)`: the part that it sends.
template <class Part>
bool everybody_knows_all(const Schedule& schedule, std::uint32_t parts, Part part) {
  using Known = std::multiset<std::uint32_t>;
  std::vector<std::vector<Known>> known(schedule.members, std::vector<Known>(parts));
  for (std::uint32_t m = 0; m < schedule.members; ++m)
    for (Known& of_part : known[m]) of_part = {m};
  for (std::uint32_t s = 0; s < schedule.steps; ++s) {
    const auto before = known;
    for (std::uint32_t m = 0; m < schedule.members; ++m) {
      const Schedule::Step step = schedule.step(m, s);
      for (const auto& got : step.receives) {
        const std::uint32_t p = part(got.peer, s);
        if (!step.combines) known[m][p] = before[got.peer][p];
        else known[m][p].insert(before[got.peer][p].begin(), before[got.peer][p].end());
      }
    }
  }
  Known all;
  for (std::uint32_t m = 0; m < schedule.members; ++m) all.insert(m);
  for (const auto& of_member : known)
    for (const Known& of_part : of_member)
      if (of_part != all) return false;
  return true;
}

}  // namespace

TEST_CASE("whatever a process sends in a step another one awaits in that step, and nothing else") {
  std::vector<Schedule> schedules{neighbours({7}, 8), neighbours({2, 3, 4}, 8), neighbours({1, 2}, 8),
                                  neighbours({1}, 8)};
  for (std::uint32_t n = 1; n <= 17; ++n)
    for (const auto make : {all_to_all, allreduce, allreduce_ring}) schedules.push_back(make(n, 8));
  for (const Schedule& schedule : schedules) {
    using Way = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;  // step, from, to, tag
    std::multiset<Way> sent, awaited;
    std::set<std::pair<std::uint32_t, std::uint32_t>> tags;  // of a sender
    for (std::uint32_t s = 0; s < schedule.steps; ++s)
      for (std::uint32_t m = 0; m < schedule.members; ++m) {
        const Schedule::Step step = schedule.step(m, s);
        for (const auto& to : step.sends) {
          sent.insert({s, m, to.peer, to.tag});
          CHECK(tags.emplace(m, to.tag).second);
          CHECK(to.tag < schedule.tags);
          CHECK(to.peer != m);
        }
        for (const auto& from : step.receives) awaited.insert({s, from.peer, m, from.tag});
      }
    CHECK(sent == awaited);
    CHECK(sent.size() == schedule.messages);
  }
}

TEST_CASE("neighbours are the next and the previous process in each dimension, round its ends") {
  CHECK(sent_to(neighbours({5}, 8), 0) == Receivers{1, 4});
  CHECK(sent_to(neighbours({5}, 8), 4) == Receivers{0, 3});
  // Of 3 x 4: process 0 is (0, 0). The last dimension first: (0, 1), (0, 3), then (1, 0), (2, 0).
  CHECK(sent_to(neighbours({3, 4}, 8), 0) == Receivers{1, 3, 4, 8});
  // In a dimension of two both neighbours are the same process; in one of one there is none.
  CHECK(sent_to(neighbours({1, 2}, 8), 0) == Receivers{1, 1});
  CHECK(neighbours({1, 1}, 8).messages == 0);
}

TEST_CASE("all to all: each sends to every other, the next one first") {
  CHECK(sent_to(all_to_all(4, 8), 2) == Receivers{3, 0, 1});
  CHECK(all_to_all(4, 8).messages == 12);
}

TEST_CASE("after an allreduce everybody has the vector of everybody, each once") {
  for (std::uint32_t n = 1; n <= 17; ++n) {
    CHECK(everybody_knows_all(allreduce(n, 8), 1, [](auto, auto) { return 0U; }));
    // Round a ring, process m sends part m first, then always the part that it has got last.
    CHECK(everybody_knows_all(allreduce_ring(n, 8), n, [n](auto m, auto s) { return (m + 2 * n - s % n) % n; }));
  }
}

TEST_CASE("recursive doubling takes log2 n steps, and two more if n is no power of two, and a ring 2 (n - 1)") {
  // 8 processes send 3 messages each. Of 6, two hand theirs over and get the result: 4 * 2 + 2 * 2.
  CHECK(allreduce(8, 100).messages == 24);
  CHECK(allreduce(6, 100).messages == 12);
  CHECK(allreduce(6, 100).bytes == 100);
  // A sixth of 100 bytes, rounded up, in 10 steps.
  CHECK(allreduce_ring(6, 100).messages == 60);
  CHECK(allreduce_ring(6, 100).bytes == 17);
}
