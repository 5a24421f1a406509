// SPDX-License-Identifier: MIT
#include "models/network/cube/flit_core.h"

#include <algorithm>

#include "tests/support/catch.h"

TEST_CASE("a divider divides as the processor does, up to its largest number") {
  for (const std::uint32_t divisor : {1u, 2u, 3u, 7u, 10u, 12u, 255u, 1000u}) {
    const sunstar::Divider by(divisor);
    const std::uint64_t limit = std::min((std::uint64_t{1} << 40) / divisor, std::uint64_t{divisor} << 24);
    const auto most = static_cast<std::uint32_t>(std::min(limit, std::uint64_t{1} << 32) - 1);
    for (std::uint32_t i = 0; i < 3000; ++i)
      for (const std::uint32_t number : {i, most - i, most / 3000 * i}) REQUIRE(by(number) == number / divisor);
  }
}
