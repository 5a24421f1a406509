// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "platforms/machine/run/run.h"

// Legal but hardly meant configurations, such as a drive that is faster than its bus. A rule is a function in
// warnings.cpp and a line in the list of rules there; its test stands in tests/machine/warnings_test.cpp.
namespace sunstar::machine {

/// Sentences without a full stop about a machine whose nodes are written out (Blueprint::machine) and its plan.
std::vector<std::string> warnings(const MachineParams& machine, const Plan& plan);

}  // namespace sunstar::machine
