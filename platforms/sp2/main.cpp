// SPDX-License-Identifier: MIT
#include <systemc>

#include "platforms/machine/platform.h"
#include "platforms/sp2/config.h"

// SystemC's library has a main() that prints a banner and calls sc_main(). Our main() takes its place, but the linker
// still wants sc_main().
int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
  using namespace sunstar;
  auto platform = machine::platform<sp2::Config>();
  platform.name = "sunstar-sp2";
  platform.summary =
      "Simulates an IBM SP-2: compute and I/O processors on a multistage switch, used through TCP/IP, with SCSI\n"
      "disks, running the Galley parallel file system or any other file system of Sunstar.";
  platform.example =
      "sunstar-sp2 --set workload.pattern=interleaved --set workload.record_size=64B --set workload.interface=strided "
      "--output result.json";
  return kit::run_main(argc, argv, platform);
}
