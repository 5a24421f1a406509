// SPDX-License-Identifier: MIT
#include "sw/file_systems/striped/objects.h"

#include "tests/support/catch.h"

namespace sunstar::file_systems::striped {

TEST_CASE("the first units of files precess") {
  const auto first = [](std::uint32_t objects) {
    Params params;
    params.stripe_count = objects;
    std::vector<std::uint32_t> found;
    for (std::uint32_t file = 0; file < 6; ++file) found.push_back(stripes(params, file, 4).first);
    return found;
  };
  using Units = std::vector<std::uint32_t>;
  CHECK(first(0) == Units{0, 1, 2, 3, 0, 1});  // on all units
  CHECK(first(1) == Units{0, 1, 2, 3, 0, 1});
  CHECK(first(2) == Units{0, 2, 1, 3, 2, 0});  // one further after each round
  CHECK(first(3) == Units{0, 3, 2, 1, 0, 3});  // by itself
  CHECK(first(8) == Units{0, 1, 2, 3, 0, 1});  // two on each unit
}

}  // namespace sunstar::file_systems::striped
