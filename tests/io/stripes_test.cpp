// SPDX-License-Identifier: MIT
#include <map>

#include "sw/io/volume.h"
#include "tests/support/catch.h"

using namespace sunstar;

TEST_CASE("a file's blocks go round its objects, and each block of a unit has a number there") {
  for (const std::uint32_t step : {1u, 2u, 3u})
    for (const std::uint32_t units : {step, 3 * step, 4 * step})
      for (std::uint32_t objects = 1; objects < 12; ++objects)
        for (std::uint32_t first = 0; first < units; ++first) {
          INFO(units << " units, " << objects << " objects from " << first << " on, step " << step);
          const io::Stripes stripes{first, objects, units, step};
          std::map<std::uint32_t, std::uint64_t> on_unit;
          for (std::uint64_t block = 0; block < 40; ++block) {
            const std::uint32_t unit = stripes.unit_of(block);
            CHECK(unit == (first + block % objects * step) % units);
            CHECK(stripes.index(block) == on_unit[unit]);
            CHECK(stripes.block(unit, on_unit[unit]) == block);
            ++on_unit[unit];
            for (std::uint32_t u = 0; u < units; ++u) CHECK(stripes.blocks_on(u, block + 1) == on_unit[u]);
          }
        }
}
