// SPDX-License-Identifier: MIT
#include "models/core/critical_path.h"

#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::literals;

namespace {
Duration spent(const Path& path, Stage stage) { return path.spent[static_cast<std::size_t>(stage)]; }
}  // namespace

TEST_CASE("a path counts from the start of the clock, also if it was led on further before") {
  CriticalPath paths;
  Path behind, ahead;
  paths.advance(behind, Time{50_us}, Stage::application);
  // A drive has worked out its next 300 us when the clock starts after 100.
  paths.advance(ahead, Time{50_us}, Stage::bus_data);
  paths.advance(ahead, Time{120_us}, Stage::disk_seek);
  paths.advance(ahead, Time{300_us}, Stage::disk_rotation);
  paths.start(Time{100_us});
  paths.advance(behind, Time{130_us}, Stage::application);
  paths.advance(ahead, Time{310_us}, Stage::network);
  CHECK(spent(behind, Stage::application) == 30_us);
  CHECK(spent(ahead, Stage::bus_data) == 0_us);
  CHECK(spent(ahead, Stage::disk_seek) == 20_us);
  CHECK(spent(ahead, Stage::disk_rotation) == 180_us);
  CHECK(spent(ahead, Stage::network) == 10_us);
  CHECK(total(paths.from_start(behind).spent) == 30_us);
  CHECK(total(paths.from_start(Path{}).spent) == 0_us);
}
