// SPDX-License-Identifier: MIT
#include <cstdio>
#include <string>

#include <systemc>

#include "platforms/kit/run_main.h"
#include "platforms/kit/trials.h"
#include "platforms/torus/experiment.h"

// SystemC's library has a main() that prints a banner and calls sc_main(). Ours takes its place; the symbol is wanted.
int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
  using namespace sunstar;
  kit::Platform<torus::Config> platform;
  platform.name = "sunstar-torus";
  platform.summary =
      "Simulates a machine of compute and I/O processors on a wormhole-routed torus, with SCSI disks, running a "
      "parallel\n"
      "file system: traditional caching, disk-directed I/O or ENWRICH; or synthetic traffic on its network.";
  platform.example =
      "sunstar-torus --set file_system.kind=disk-directed --set workload.pattern=rcc --set workload.record_size=8B "
      "--output result.json";
  platform.check = [](const torus::Config& config) { torus::experiment(config.workload.kind).check(config); };
  platform.expand = [](torus::Config config) {
    return torus::experiment(config.workload.kind).expand(std::move(config));
  };
  platform.run = [](const torus::Config& config, kit::Session& session) {
    const std::uint32_t trials = config.run.trials;
    const torus::Experiment& experiment = torus::experiment(config.workload.kind);
    return experiment.report(kit::run_trials(
        trials, config.run.jobs,
        [&](std::uint32_t trial, const kit::Done& done) {
          torus::Watch watch;
          watch.progress = done;
          if (trial == 0) {
            watch.vcd = session.vcd;
            watch.timeline = session.timeline;
          }
          return experiment.run_trial(config, trial, watch);
        },
        session.progress.of_trials(trials)));
  };
  return kit::run_main(argc, argv, platform);
}
