// SPDX-License-Identifier: MIT
#include "platforms/disk/config.h"
#include "platforms/disk/results.h"
#include "platforms/kit/parameter_table.h"
#include "platforms/kit/results/declared.h"
#include "tests/support/catch.h"

using namespace sunstar;

TEST_CASE("the parameters and figures of sunstar-disk are declared without faults") {
  CHECK(kit::declaration_faults<disk_platform::Config>() == std::vector<std::string>{});
  CHECK(kit::figure_faults<disk_platform::Result>() == std::vector<std::string>{});
}
