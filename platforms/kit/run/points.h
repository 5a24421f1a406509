// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/kit/run/run_main.h"

// Many effective configurations in one call, for programs that explore designs.
namespace sunstar::kit {

/// Reads points: on each line a JSON array of settings, ["workload.pattern=rb", "run.seed=3"], which add to those of
/// the command line. Prints a line for each: {"config": the effective configuration}, or {"error": the sentence}.
void print_points(std::istream& points, const CommandLine&, const AnyPlatform&, const Terminal&);

}  // namespace sunstar::kit
