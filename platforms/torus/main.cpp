// SPDX-License-Identifier: MIT
#include <systemc>

#include "platforms/machine/platform.h"
#include "platforms/torus/config.h"

// SystemC's library has a main() that prints a banner and calls sc_main(). Our main() takes its place, but the linker
// still wants sc_main().
int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
  using namespace sunstar;
  auto platform = machine::platform<torus::Config>();
  platform.name = "sunstar-torus";
  platform.expand = torus::spelt_out;
  platform.summary =
      "Simulates a machine of compute and I/O processors on a wormhole-routed torus, with SCSI disks, running a\n"
      "parallel file system: traditional caching, disk-directed I/O, ENWRICH, two-phase I/O or a hybrid.";
  platform.example =
      "sunstar-torus --set file_system.kind=disk-directed --set workload.pattern=rcc --set workload.record_size=8B "
      "--output result.json";
  return kit::run_main(argc, argv, platform);
}
