// SPDX-License-Identifier: MIT
#pragma once
#include "sw/os/activity.h"
#include "sw/os/costs.h"

namespace sunstar::os {

/// What the executives of one machine have in common. It outlives them.
struct Common {
  explicit Common(const Costs& costs) : cycles(costs.table()) {}

  const CostTable cycles;
  Activity activity;
};

}  // namespace sunstar::os
