// SPDX-License-Identifier: MIT
#include "platforms/machine/platform.h"

#include <utility>

namespace sunstar::machine {

Config preset(std::string name) {
  kit::ConfigInput input;
  input.preset = std::move(name);
  return kit::load_config<Config>(std::move(input));
}

int run_main(int argc, const char* const* argv, const Program& program) {
  return run_main<network::Fabrics>(argc, argv, program);
}

}  // namespace sunstar::machine
