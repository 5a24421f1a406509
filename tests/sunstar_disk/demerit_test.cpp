// SPDX-License-Identifier: MIT
#include "platforms/disk/samples.h"

#include "models/core/quantity.h"
#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::literals;
using disk_platform::demerit;

TEST_CASE("the demerit is the RMS distance between values of equal rank, in any order") {
  // Sorted: 1 2 6 against 2 2 3: differences 1, 0, -3; root of 10 / 3; the measured mean is 3 ms.
  const auto d = demerit({6_ms, 1_ms, 2_ms}, {2_ms, 3_ms, 2_ms});
  CHECK(d.count == 3);
  CHECK(d.ms == Approx(std::sqrt(10.0 / 3)));
  CHECK(d.measured_mean_ms == Approx(3));
  CHECK(d.percent == Approx(100 * std::sqrt(10.0 / 3) / 3));
  CHECK(demerit({1_ms, 2_ms}, {2_ms, 1_ms}).ms == 0);
  CHECK(demerit({}, {}).percent == 0);
}
