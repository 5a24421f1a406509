// SPDX-License-Identifier: MIT
#include <cstdio>
#include <iostream>
#include <systemc>

#include "models/core/error.h"
#include "platforms/kit/config.h"
#include "platforms/torus/run.h"

int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
  using namespace sunstar;
  kit::ConfigInput input;
  for (int i = 1; i < argc; ++i) input.settings.add(argv[i]);
  try {
    const auto config = kit::load_config<torus::Config>(input);
    auto r = torus::run_trial(config, 0);
    r.erase("statistics");
    std::cout << kit::pretty(r);
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 1;
  }
}
