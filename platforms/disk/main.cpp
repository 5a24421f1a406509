// SPDX-License-Identifier: MIT
#include "platforms/disk/run.h"
#include "platforms/kit/run/huge_pages.h"
#include "platforms/kit/run/run_main.h"

int main(int argc, char** argv) {
  sunstar::kit::use_huge_pages(argv);
  using namespace sunstar;
  kit::Platform<disk_platform::Config, disk_platform::Result> platform;
  platform.name = "sunstar-disk";
  platform.summary =
      "Simulates one drive without a machine around it. The requests come from a trace or a\nsynthetic load, one after "
      "the other. If a trace has measured response times, they are compared with the simulated\nones.\nsunstar import "
      "drive brings a drive described in .parv files into the catalogue.\nsunstar fit finds the parameters of an NVMe "
      "drive from measurements.";
  platform.example =
      "sunstar-disk --set machine.disk=hp_c2247a --set workload.size=4KiB --set workload.requests=100000 --output "
      "result.json";
  platform.warnings = [](const disk_platform::Config& config) {
    return config.workload.kind.is<disk_platform::QueuesParams>() ? std::vector<std::string>{}
                                                                  : disk::drive_warnings(config.machine.disk);
  };
  platform.check = disk_platform::check_run;
  platform.structure = disk_platform::structure;
  platform.run_trial = disk_platform::run_trial;
  return kit::run_main(argc, argv, platform);
}
