// SPDX-License-Identifier: MIT
#include "platforms/disk/config.h"
#include "platforms/disk/results.h"
#include "tests/support/catch.h"
#include "tests/support/declaration_faults.h"

using namespace sunstar;

TEST_CASE("the parameters and figures of sunstar-disk are declared without faults") {
  CHECK(kit::parameter_faults<disk_platform::Config>() == std::vector<std::string>{});
  CHECK(kit::figure_faults<disk_platform::Result>() == std::vector<std::string>{});
}
