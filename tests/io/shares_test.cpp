// SPDX-License-Identifier: MIT
#include "sw/io/volume.h"

#include "tests/support/catch.h"

using namespace sunstar;

TEST_CASE("each block belongs to one share, and shares know whose it is") {
  for (const bool cyclic : {false, true})
    for (std::uint64_t blocks = 1; blocks < 40; ++blocks)
      for (std::uint64_t n = 1; n < 45; ++n) {
        const io::Shares shares{blocks, n, cyclic};
        std::uint64_t all = 0;
        for (std::uint64_t k = 0; k < n; ++k)
          for (std::uint64_t b = shares.begin(k); b < shares.end(k); b += shares.step(), ++all)
            REQUIRE(shares.owner(b) == k);
        REQUIRE(all == blocks);
      }
}
