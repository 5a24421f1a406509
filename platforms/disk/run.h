// SPDX-License-Identifier: MIT
#pragma once
#include <filesystem>
#include <functional>
#include <optional>

#include "platforms/disk/config.h"
#include "platforms/kit/json_text.h"

namespace sunstar::disk_platform {

namespace json = boost::json;

/// What shows one trial.
struct Watch {
  std::optional<std::filesystem::path> vcd = {}, timeline = {};
  std::function<void(double)> progress = {};  ///< told of the share of the requests; empty: nobody is
};

/// Throws ConfigError if the drive or the workload cannot be.
void check_run(const Config& config);

/// One trial: seed + trial. Its figures under "result"-like keys, "statistics" and "host".
json::object run_trial(const Config& config, std::uint32_t trial, const Watch& watch = {});

/// Means over the trials; see run_trial().
json::object report(std::vector<json::object> trials);

}  // namespace sunstar::disk_platform
