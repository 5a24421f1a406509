// SPDX-License-Identifier: MIT
#include "platforms/machine/run/platform.h"

int main(int argc, char** argv) {
  return sunstar::machine::run_main(
      argc, argv,
      {.name = "sunstar-sp2",
       .summary = "Simulates an IBM SP-2: compute and I/O processors on a multistage switch, used through TCP/IP, with "
                  "SCSI\ndisks, running the Galley parallel file system or any other file system of Sunstar.",
       .example = "sunstar-sp2 --set workload.pattern=interleaved --set workload.record_size=64B --set "
                  "workload.interface=strided --output result.json",
       .preset = "sp2"});
}
