// SPDX-License-Identifier: MIT
#include "models/core/trail.h"

#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::literals;

namespace {
Duration spent(const Trail& trail, Stage stage) { return trail.spent[static_cast<std::size_t>(stage)]; }
}  // namespace

TEST_CASE("a trail counts from the start of the clock, also if it was led on further before") {
  Trails trails;
  Trail behind, ahead;
  trails.advance(behind, Time{50_us}, Stage::application);
  // A drive has worked out its next 300 us when the clock starts after 100.
  trails.advance(ahead, Time{50_us}, Stage::bus_data);
  trails.advance(ahead, Time{120_us}, Stage::disk_seek);
  trails.advance(ahead, Time{300_us}, Stage::disk_rotation);
  trails.start(Time{100_us});
  trails.advance(behind, Time{130_us}, Stage::application);
  trails.advance(ahead, Time{310_us}, Stage::network);
  CHECK(spent(behind, Stage::application) == 30_us);
  CHECK(spent(ahead, Stage::bus_data) == 0_us);
  CHECK(spent(ahead, Stage::disk_seek) == 20_us);
  CHECK(spent(ahead, Stage::disk_rotation) == 180_us);
  CHECK(spent(ahead, Stage::network) == 10_us);
  CHECK(total(trails.from_start(behind).spent) == 30_us);
  CHECK(total(trails.from_start(Trail{}).spent) == 0_us);
}
