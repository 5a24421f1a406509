// SPDX-License-Identifier: MIT
#include "sw/file_systems/pvfs/protocol/versions.h"

#include <vector>

#include "models/core/random.h"
#include "tests/support/catch.h"

namespace sunstar::file_systems::pvfs {

TEST_CASE("neighbouring blocks of equal value are one run, in any order of setting it") {
  BlockRuns<int> runs;
  for (const std::uint64_t block : {4u, 6u, 5u, 3u, 7u}) runs.set({1, block}, 9);
  CHECK(runs.size() == 3);  // before, these, and behind
  CHECK(runs.at({1, 2}) == 0);
  CHECK(runs.at({1, 3}) == 9);
  CHECK(runs.at({1, 7}) == 9);
  CHECK(runs.at({1, 8}) == 0);
  CHECK(runs.at({0, 5}) + runs.at({2, 5}) == 0);
  for (std::uint64_t block = 3; block < 8; ++block) runs.set({1, block}, 0);
  CHECK(runs.size() == 1);
}

TEST_CASE("runs of blocks hold what an array of all blocks would") {
  RandomStream random(1, "runs of blocks");
  BlockRuns<std::uint64_t> runs;
  std::vector<std::vector<std::uint64_t>> meant(3, std::vector<std::uint64_t>(40));
  for (int i = 0; i < 5000; ++i) {
    const auto file = static_cast<std::uint32_t>(random.below(3));
    const std::uint64_t block = random.below(39), value = random.below(3);
    runs.set({file, block}, value);
    meant[file][block] = value;
    for (std::uint32_t f = 0; f < 3; ++f)
      for (std::uint64_t b = 0; b < 40; ++b) REQUIRE(runs.at({f, b}) == meant[f][b]);
  }
}

}  // namespace sunstar::file_systems::pvfs
