// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/kit/run/run_main.h"
#include "platforms/machine/configured.h"
#include "platforms/machine/doubts.h"

namespace sunstar::machine {

/// The executable of a machine; its main() adds the name, the summary and the example.
template <Drawable Config>
kit::Platform<Config, Result> platform() {
  kit::Platform<Config, Result> made;
  made.expand = spelt_out<Config>;
  made.doubts = [](const Config& config) { return doubts(config.machine, task(config)); };
  made.check = [](const Config& config) { check(blueprint(config), task(config), config.run.seed); };
  made.run_trial = [](const Config& config, std::uint32_t trial, const kit::Watch& watch) {
    return run_trial(config, trial, watch);
  };
  return made;
}

}  // namespace sunstar::machine
