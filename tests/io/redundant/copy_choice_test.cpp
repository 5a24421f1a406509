// SPDX-License-Identifier: MIT
#include "sw/io/store/redundant/copy_choice.h"

#include <map>

#include "tests/support/catch.h"

using namespace sunstar::io::redundant;

namespace {

struct States final : DiskStates {
  std::map<std::uint32_t, std::uint64_t> queued, last;
  std::uint64_t commands(std::uint32_t d) const override { return queued.contains(d) ? queued.at(d) : 0; }
  std::uint64_t last_sector(std::uint32_t d) const override { return last.contains(d) ? last.at(d) : 0; }
};

const std::vector<Copy> two{{1, 500}, {4, 500}};

std::map<std::size_t, int> thousand(ReadCopy policy, const States& states) {
  const auto choose = copy_choice(policy, states, {1, "copies"});
  std::map<std::size_t, int> chosen;
  for (int i = 0; i < 1000; ++i) ++chosen[choose(two)];
  return chosen;
}

}  // namespace

TEST_CASE("each policy reads the copy that it should") {
  States s;
  CHECK(thousand(ReadCopy::primary, s) == std::map<std::size_t, int>{{0, 1000}});
  CHECK(thousand(ReadCopy::round_robin, s) == std::map<std::size_t, int>{{0, 500}, {1, 500}});
  for (auto policy :
       {ReadCopy::random, ReadCopy::nearest, ReadCopy::shortest_queue, ReadCopy::shortest_queue_then_nearest}) {
    const auto chosen = thousand(policy, s);  // all are equal
    CHECK(chosen.at(0) > 430);
    CHECK(chosen.at(1) > 430);
  }
  s.last = {{1, 400}, {4, 560}};
  s.queued = {{1, 1}, {4, 2}};
  CHECK(thousand(ReadCopy::nearest, s) == std::map<std::size_t, int>{{1, 1000}});
  CHECK(thousand(ReadCopy::shortest_queue, s) == std::map<std::size_t, int>{{0, 1000}});
  CHECK(thousand(ReadCopy::shortest_queue_then_nearest, s) == std::map<std::size_t, int>{{0, 1000}});
  s.queued[4] = 1;
  CHECK(thousand(ReadCopy::shortest_queue_then_nearest, s) == std::map<std::size_t, int>{{1, 1000}});
}
