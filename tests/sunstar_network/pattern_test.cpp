// SPDX-License-Identifier: MIT
#include "platforms/network/pattern.h"

#include "tests/support/catch.h"

using namespace sunstar;

TEST_CASE("patterns send where their names say, on a 4x6x4 torus") {
  const traffic::Pattern::Params shape{{4, 6, 4}, 9, 0.25};
  RandomStream random(1, "patterns");
  // Router (x, y, z) is x + 4 y + 24 z.
  const auto at = [](std::uint32_t x, std::uint32_t y, std::uint32_t z) { return x + 4 * y + 24 * z; };
  const auto to = [&](const char* name, std::uint32_t from) {
    return traffic::pattern(name).destination(from, shape, random);
  };
  CHECK(to("complement", at(1, 2, 3)) == at(2, 3, 0));
  CHECK(to("tornado", at(3, 5, 0)) == at(0, 1, 1));  // 1, 2 and 1 further
  CHECK(to("neighbour", at(3, 5, 0)) == at(0, 0, 1));
  CHECK(to("transpose", at(1, 5, 3)) == at(3, 5, 1));
  std::vector<int> uniform(96), hot(96);
  for (int i = 0; i < 96'000; ++i) ++uniform[to("uniform", 5)], ++hot[to("hotspot", 5)];
  for (const int n : uniform) CHECK(std::abs(n - 1000) < 200);
  CHECK(std::abs(hot[9] - (24'000 + 750)) < 600);
}
