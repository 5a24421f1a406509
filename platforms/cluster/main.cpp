// SPDX-License-Identifier: MIT
#include "platforms/machine/run/platform.h"

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
