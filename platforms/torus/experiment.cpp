// SPDX-License-Identifier: MIT
#include "platforms/torus/experiment.h"

#include "platforms/machine/expand.h"
#include "platforms/machine/report.h"
#include "platforms/machine/run.h"
#include "platforms/network/traffic_run.h"

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
