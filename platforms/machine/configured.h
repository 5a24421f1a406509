// SPDX-License-Identifier: MIT
#pragma once
#include <concepts>
#include <cstdint>

#include "platforms/kit/config.h"
#include "platforms/kit/explain/explanation.h"
#include "platforms/machine/run.h"

// From a platform's configuration to a run. The configuration has the sections `machine` (with
// machine::MachineParams among its members), `file_system`, `workload`, `faults` and `run`, and beside it stands a
// function that draws the machine, which says what the fabric is:
//
//   machine::Blueprint draw(const Config& config, Problems& problems);
namespace sunstar::machine {

template <class Config>
concept Drawable = requires(const Config& config, Problems& problems) {
  { draw(config, problems) } -> std::same_as<Blueprint>;
};

/// The machine's blueprint. Throws ConfigError if the machine cannot be built.
template <Drawable Config>
Blueprint blueprint(const Config& config) {
  Problems problems;
  Blueprint drawn = draw(config, problems);
  problems.throw_if_any();
  return drawn;
}

/// The same configuration with the nodes of its blueprint in place of the counts.
template <Drawable Config>
Config spelt_out(Config config) {
  static_cast<MachineParams&>(config.machine) = blueprint(config).machine;
  return config;
}

/// What the machine is to do in one of its trials; the first one leaves records, if they are wanted.
template <Drawable Config>
Task task(const Config& config, std::uint32_t trial = 0) {
  return {config.file_system, config.workload, config.faults, {}, trial == 0 ? config.run.records : ""};
}

/// One trial in this process.
template <Drawable Config>
kit::Trial<Result> run_trial(const Config& config, std::uint32_t trial, const kit::Watch& watch = {},
                             const MakeFileSystem& make = {}) {
  auto outcome = run_trial(blueprint(config), task(config, trial), config.run.seed + trial, watch, make);
  if (watch.explain) kit::add_advice(outcome.explanation, kit::effective(config));
  return outcome;
}

}  // namespace sunstar::machine
