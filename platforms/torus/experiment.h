// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "models/kernel/timeline.h"
#include "models/kernel/wave_file.h"
#include "platforms/kit/json_text.h"
#include "platforms/torus/config.h"

namespace sunstar::torus {

namespace json = boost::json;

/// What to watch during a trial.
struct Watch {
  std::optional<std::filesystem::path> vcd, timeline;
  std::uint64_t vcd_limit = WaveFile::default_limit, timeline_limit = Timeline::default_limit;  ///< bytes
  std::function<void(double)> progress =
      {};  ///< told of the share that is done, at most a thousand times; empty: nobody is
};

/// What a workload makes of the machine: a file system on nodes with disks (run.h), or messages on the network alone
/// (traffic_run.h).
struct Experiment {
  /// The configuration with shorthand spelt out.
  Config (*expand)(Config);
  /// Builds it all and throws what is wrong with it.
  void (*check)(const Config&);
  /// One trial in this process; `trial` is added to the seed. Throws ConfigError or SimulationError.
  json::object (*run_trial)(const Config&, std::uint32_t trial, const Watch&);
  /// The result file below the effective configuration, from all trials in order.
  json::object (*report)(std::vector<json::object> trials);
};
const Experiment& experiment(WorkloadKind kind);

}  // namespace sunstar::torus
