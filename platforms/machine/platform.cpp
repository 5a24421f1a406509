// SPDX-License-Identifier: MIT
#include "platforms/machine/platform.h"

namespace sunstar::machine {

int run_main(int argc, const char* const* argv, const Program& program) {
  return run_main<network::Fabrics>(argc, argv, program);
}

}  // namespace sunstar::machine
