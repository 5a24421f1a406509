// SPDX-License-Identifier: MIT
#include <systemc>

#include "platforms/kit/run/run_main.h"
#include "platforms/sp2/config.h"

// SystemC's library has a main() that prints a banner and calls sc_main(). Our main() takes its place, but the linker
// still wants sc_main().
int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
  using namespace sunstar;
  kit::Platform<sp2::Config, machine::Result> platform;
  platform.name = "sunstar-sp2";
  platform.summary =
      "Simulates an IBM SP-2: compute and I/O processors on a multistage switch, used through TCP/IP, with SCSI\n"
      "disks, running the Galley parallel file system or any other file system of Sunstar.";
  platform.example =
      "sunstar-sp2 --set workload.pattern=interleaved --set workload.record_size=64B --set workload.interface=strided "
      "--output result.json";
  platform.expand = sp2::spelt_out;
  platform.check = [](const sp2::Config& config) {
    machine::check(sp2::blueprint(config), sp2::task(config), config.run.seed);
  };
  platform.run_trial = [](const sp2::Config& config, std::uint32_t trial, const kit::Watch& watch) {
    return sp2::run_trial(config, trial, watch);
  };
  return kit::run_main(argc, argv, platform);
}
