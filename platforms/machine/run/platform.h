// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/kit/run/run_main.h"
#include "platforms/machine/assembly/blueprint.h"
#include "platforms/machine/run/config.h"

namespace sunstar::machine {

/// The differences between machines' executables.
struct Program {
  std::string name, summary, example;
  std::string preset;  ///< the base of configurations that name none; empty: the parameters' own defaults
};

/// main() of a machine on Sunstar's fabrics, on huge pages (platforms/kit/run/huge_pages.h).
int run_main(int argc, char** argv, const Program& program);

/// main() of a machine on any of `Fabrics`, network::Fabrics or another OneOf.
template <class Fabrics>
int run_main(int argc, const char* const* argv, const Program& program) {
  using Config = ConfigOn<Fabrics>;
  kit::Platform<Config, Result> platform{program.name, program.summary, program.example, program.preset};
  platform.unverified_fails = false;  // of wrong bytes, verification throws
  platform.expand = spelt_out<Fabrics>;
  platform.warnings = [](const Config& config) { return warnings(config.machine, plan(config)); };
  platform.check = [](const Config& config) { check(blueprint(config), plan(config), config.run.seed); };
  platform.structure = [](const Config& config) {
    return structure(blueprint(config), config.machine.network.kind.kind_name());
  };
  platform.run_trial = [](const Config& config, std::uint32_t trial, const kit::Watch& watch) {
    return run_trial(config, trial, watch);
  };
  return kit::run_main(argc, argv, platform);
}

}  // namespace sunstar::machine
