// SPDX-License-Identifier: MIT
#include "sw/file_systems/enwrich/flush_plan.h"

#include <map>

#include "models/core/random.h"
#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::file_systems::enwrich;
using requests::Piece;

using Extents = std::vector<Extent>;

TEST_CASE("entries that share no byte are put in order of file and offset") {
  CHECK(latest({{1, 1, 10, 5, 0}, {0, 0, 20, 7, 100}, {2, 0, 30, 6, 0}}) ==
        Extents{{0, 0, 30, 2, 6}, {0, 100, 20, 0, 7}, {1, 0, 10, 1, 5}});
}

TEST_CASE("where entries overlap, the later one counts, whichever comes first in the file") {
  // [0,100) at 1, [50,150) at 2: the second has its whole, the first what is left.
  CHECK(latest({{0, 0, 100, 1, 0}, {1, 0, 100, 2, 50}}) == Extents{{0, 0, 50, 0, 1}, {0, 50, 100, 1, 2}});
  CHECK(latest({{0, 0, 100, 2, 0}, {1, 0, 100, 1, 50}}) == Extents{{0, 0, 100, 0, 2}, {0, 100, 50, 1, 1}});
}

TEST_CASE("an older entry continues where a younger one inside it ends") {
  CHECK(latest({{0, 0, 100, 1, 0}, {1, 0, 10, 2, 40}}) ==
        Extents{{0, 0, 40, 0, 1}, {0, 40, 10, 1, 2}, {0, 50, 50, 0, 1}});
  CHECK(latest({{0, 0, 100, 2, 0}, {1, 0, 10, 1, 40}}) == Extents{{0, 0, 100, 0, 2}});
}

TEST_CASE("of two writes at the same instant, the higher processor's counts") {
  CHECK(latest({{1, 0, 10, 5, 0}, {0, 0, 10, 5, 0}}) == Extents{{0, 0, 10, 1, 5}});
}

TEST_CASE("random overlapping writes have the same effect as writing byte by byte in order of time stamps") {
  RandomStream random(1, "flush_plan_test");
  for (int round = 0; round < 300; ++round) {
    std::vector<DirectoryEntry> entries;
    const std::uint64_t n = 1 + random.below(30);
    for (std::uint64_t i = 0; i < n; ++i)
      entries.push_back({static_cast<std::uint16_t>(random.below(4)), static_cast<std::uint16_t>(random.below(2)),
                         static_cast<std::uint32_t>(1 + random.below(40)), 1 + random.below(20), random.below(100)});
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::pair<std::uint64_t, std::uint32_t>>
        expected;  // (file, byte) -> (time, processor)
    for (const auto& e : entries)
      for (std::uint64_t b = e.offset; b < e.offset + e.bytes; ++b) {
        auto& owner = expected[{e.file, b}];
        owner = std::max(owner, std::pair<std::uint64_t, std::uint32_t>(e.time_stamp, e.processor));
      }
    std::size_t bytes = 0;
    std::pair<std::uint32_t, std::uint64_t> before{0, 0};
    for (const Extent& e : latest(entries)) {
      REQUIRE(std::pair(e.file, e.offset) >= before);
      before = {e.file, e.offset + e.bytes};
      for (std::uint64_t b = e.offset; b < e.offset + e.bytes; ++b, ++bytes)
        REQUIRE(expected.at({e.file, b}) == std::pair<std::uint64_t, std::uint32_t>(e.time_stamp, e.processor));
    }
    REQUIRE(bytes == expected.size());
  }
}

TEST_CASE("a plan has a node's own blocks, each with its pieces and the number of bytes they cover") {
  // Blocks of 100; every second one is mine. One write over blocks 0 to 2, one into block 2.
  const FlushPlan plan({{0, 0, 250, 1, 0}, {1, 0, 20, 2, 260}}, 100,
                       [](std::uint64_t block) { return block % 2 == 0; });
  REQUIRE(plan.blocks().size() == 2);
  std::vector<Piece> pieces;
  CHECK(plan.pieces(0, 0, pieces) == 100);
  CHECK(pieces == std::vector<Piece>{{0, 0, 1, 100}});
  pieces.clear();
  CHECK(plan.pieces(0, 2, pieces) == 70);
  CHECK(pieces == std::vector<Piece>{{0, 200, 1, 50}, {1, 260, 2, 20}});
}

TEST_CASE("runs in order are counted for the sort") {
  const std::vector<DirectoryEntry> entries{{0, 0, 8, 1, 0}, {0, 0, 8, 2, 8}, {0, 0, 8, 3, 4}, {0, 1, 8, 4, 0}};
  CHECK(sorted_runs(entries) == 2);
  CHECK(sorted_runs({}) == 0);
}
