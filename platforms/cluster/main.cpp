// SPDX-License-Identifier: MIT
#include <systemc>

#include "platforms/machine/run/platform.h"

// SystemC's library has a main() that prints a banner and calls sc_main(). Our main() takes its place, but the linker
// still wants sc_main().
int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
  return sunstar::machine::run_main(
      argc, argv,
      {.name = "sunstar-cluster",
       .summary = "Simulates a Linux cluster: personal computers on an Ethernet, used through TCP/IP, with ATA disks, "
                  "running PVFS\nwith a cache in each node's kernel that all its processes share, or any other file "
                  "system of Sunstar.",
       .example = "sunstar-cluster --set workload.request_size=64KiB --set workload.instances=2 --set "
                  "workload.sharing=0.5 --output result.json",
       .preset = "cluster"});
}
