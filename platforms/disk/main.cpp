// SPDX-License-Identifier: MIT
#include <string_view>

#include <systemc>

#include "platforms/disk/parv_import.h"
#include "platforms/disk/run.h"
#include "platforms/kit/run_main.h"
#include "platforms/kit/trials.h"

// SystemC's library has a main() that prints a banner and calls sc_main(). Ours takes its place; the symbol is wanted.
int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
  using namespace sunstar;
  if (argc > 1 && std::string_view(argv[1]) == "import") return disk_platform::import_main(argc - 1, argv + 1);
  kit::Platform<disk_platform::Config> platform;
  platform.name = "sunstar-disk";
  platform.summary =
      "Simulates one drive with no machine around it, given a trace of requests or a synthetic load, one request "
      "after\n"
      "the other. A trace with measured response times is compared with the simulated ones.\n"
      "A drive described in .parv files is brought into the catalogue by sunstar-disk import; see sunstar-disk import "
      "--help.";
  platform.example =
      "sunstar-disk --set machine.disk=hp_c2247a --set workload.size=4KiB --set workload.requests=100000 --output "
      "result.json";
  platform.check = disk_platform::check_run;
  platform.run = [](const disk_platform::Config& config, kit::Session& session) {
    const std::uint32_t trials = config.run.trials;
    return disk_platform::report(kit::run_trials(
        trials, config.run.jobs,
        [&](std::uint32_t trial, const kit::Done& done) {
          disk_platform::Watch watch;
          if (trial == 0) watch = {session.vcd, session.timeline};
          watch.progress = done;
          return disk_platform::run_trial(config, trial, watch);
        },
        session.progress.of_trials(trials)));
  };
  return kit::run_main(argc, argv, platform);
}
