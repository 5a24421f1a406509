// SPDX-License-Identifier: MIT
#include "platforms/torus/experiment.h"

#include "platforms/torus/expand.h"
#include "platforms/torus/report.h"
#include "platforms/torus/run.h"
#include "platforms/torus/traffic_run.h"

namespace sunstar::torus {

const Experiment& experiment(WorkloadKind kind) {
  static const Experiment files{
      [](Config config) {
        config.machine = expanded(config.machine, config.run.seed);
        return config;
      },
      check_machine,
      [](const Config& config, std::uint32_t trial, const Watch& watch) { return run_trial(config, trial, watch); },
      report,
  };
  static const Experiment traffic{[](Config config) { return config; }, check_traffic, run_traffic, report_traffic};
  return kind == WorkloadKind::traffic ? traffic : files;
}

}  // namespace sunstar::torus
