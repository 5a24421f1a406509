// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/disk/config.h"
#include "platforms/disk/results.h"
#include "platforms/kit/results/document.h"
#include "platforms/kit/run/watch.h"

namespace sunstar::disk_platform {

/// Throws ConfigError if the drive or the workload cannot be used.
void check_run(const Config& config);

/// The drives, as {drives: [{name, type, bytes_per_s}]}: the last is the rate of the bus that each has to itself.
kit::json::object structure(const Config& config);

/// One trial, from the seed run.seed + trial.
kit::Trial<Result> run_trial(const Config& config, std::uint32_t trial, const kit::Watch& watch = {});

// The same of requests from a file that an array, an NVMe drive or a disk with its driver serves, which have neither
// timeline nor explanation (recorded_run.cpp).
void check_recorded(const Config& config);
kit::Trial<Result> run_recorded(const Config& config, std::uint32_t trial, const kit::Watch& watch);

// The same of a workload of the kind queues (queue_run.cpp).
void check_queues(const Config& config);
kit::Trial<Result> run_queues(const Config& config, std::uint32_t trial, const kit::Watch& watch);

}  // namespace sunstar::disk_platform
