// SPDX-License-Identifier: MIT
#include "platforms/kit/run/huge_pages.h"
#include "platforms/kit/run/run_main.h"
#include "platforms/network/run.h"

int main(int argc, char** argv) {
  sunstar::kit::use_huge_pages(argv);
  using namespace sunstar;
  kit::Platform<traffic::Config, traffic::Result, traffic::HostFigures> platform;
  platform.name = "sunstar-network";
  platform.summary =
      "Simulates a network with no machine around it, under synthetic traffic or a trace of messages: how long "
      "messages take,\nhow busy the links are, and whether the network carries the offered load.";
  platform.example = "sunstar-network --set machine.network.model=flit --set workload.load=0.2 --output result.json";
  platform.check = traffic::check_run;
  platform.structure = traffic::structure;
  platform.run_trial = traffic::run_trial;
  return kit::run_main(argc, argv, platform);
}
