// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>

#include "models/core/statistics.h"
#include "tests/support/catch.h"

namespace sunstar::test {

/// The statistic of that name, which must be there.
inline double value_of(const StatisticSet& set, const std::string& name) {
  std::optional<double> found;
  set.for_each([&](const Statistic& s) {
    if (s.name == name) found = s.value();
  });
  INFO("statistic " << name);
  REQUIRE(found);
  return *found;
}

}  // namespace sunstar::test
