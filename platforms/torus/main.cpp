// SPDX-License-Identifier: MIT
#include "platforms/machine/run/platform.h"

int main(int argc, char** argv) {
  return sunstar::machine::run_main(
      argc, argv,
      {.name = "sunstar-torus",
       .summary =
           "Simulates a machine of compute and I/O processors on a wormhole-routed torus, with SCSI disks, running "
           "a\nparallel file system: traditional caching, disk-directed I/O, ENWRICH, two-phase I/O or a hybrid.",
       .example = "sunstar-torus --set file_system.kind=disk-directed --set workload.pattern=rcc --set "
                  "workload.record_size=8B --output result.json",
       .preset = "torus"});
}
