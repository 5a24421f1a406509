// SPDX-License-Identifier: MIT
#include "platforms/machine/run/platform.h"

#include "platforms/kit/run/huge_pages.h"

namespace sunstar::machine {

Config preset(std::string name) {
  kit::ConfigInput input;
  input.preset = std::move(name);
  return kit::load_config<Config>(std::move(input));
}

int run_main(int argc, char** argv, const Program& program) {
  kit::use_huge_pages(argv);
  return run_main<network::Fabrics>(argc, argv, program);
}

}  // namespace sunstar::machine
