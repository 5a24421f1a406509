// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/disk/config.h"
#include "platforms/disk/results.h"
#include "platforms/kit/results/document.h"
#include "platforms/kit/run/watch.h"

namespace sunstar::disk_platform {

/// Throws ConfigError if the drives or the workload, of the kind arrivals, cannot be used.
void check_array(const Config& config);

/// One trial of a workload of the kind arrivals. Throws ConfigError if it is to be watched.
kit::Trial<Result> run_array(const Config& config, std::uint32_t trial, const kit::Watch& watch);

}  // namespace sunstar::disk_platform
