// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/machine/run.h"

namespace sunstar::machine {

/// Throws ConfigError if the plan's kind of file system cannot do what the workload or the faults ask of it.
void require_capable(const Plan& plan, const workload::Workload& workload);

}  // namespace sunstar::machine
