// SPDX-License-Identifier: MIT
#pragma once
#include "models/registry/fabrics.h"
#include "platforms/kit/config.h"
#include "platforms/kit/explain/explanation.h"
#include "platforms/kit/run/run_params.h"
#include "platforms/machine/run/run.h"

// The types of a machine's sections are made once, in platforms/machine/run/types.cpp: making one costs the compiler
// seconds.
namespace sunstar::kit {

extern template const Type& type_of<disk::DriveParams>();
extern template const Type& type_of<scsi::BusParams>();
extern template const Type& type_of<node::NodeParams>();
extern template const Type& type_of<os::Costs>();
extern template const Type& type_of<os::SocketChoice>();
extern template const Type& type_of<std::vector<machine::NodeSpec>>();
extern template const Type& type_of<machine::MachineParams>();
extern template const Type& type_of<network::Fabrics>();
extern template const Type& type_of<file_systems::FileSystemParams>();
extern template const Type& type_of<workload::WorkloadParams>();
extern template const Type& type_of<machine::Result>();

}  // namespace sunstar::kit

// The configuration of a machine, and the way from it to a run. Which fabrics a machine may have is a parameter of the
// type, so that a program can have fabrics of its own: `OneOf<mine::Params, ...>` in place of network::Fabrics.
namespace sunstar::machine {

/// A run of a machine; its help of the seed replaces the kit's.
struct RunParams : kit::RunParams {
  Data data = Data::described;
  std::filesystem::path records;
  Duration interval{};
};
BOOST_DESCRIBE_STRUCT(RunParams, (kit::RunParams), (data, records, interval))
inline std::vector<Param> parameters(const RunParams*) {
  return {{"seed",
           "determines layouts, spindle phases, first head positions, clocks, the timing variation and the network's "
           "random choices; a random placement is the same in all trials"},
          {"data",
           "what media, memories and messages hold: descriptions of the origin of their bytes, which take little of "
           "the host's memory, or bytes; the results are the same"},
          {"records", "CSV file to write, with one line for each call or collective of the first trial; none if empty"},
          {"interval",
           "length of the intervals of over_time, the course of the first trial in the result: bytes moved, reported "
           "as lost, read, written and rebuilt by drives, and requests waiting at them; 0s: without",
           "0s", "1000000s"}};
}

template <class Fabrics>
struct HardwareOn : MachineParams {
  network::NetworkParams<Fabrics> network;
  BOOST_DESCRIBE_CLASS(HardwareOn, (MachineParams), (network), (), ())
};
template <class Fabrics>
std::vector<Param> parameters(const HardwareOn<Fabrics>*) {
  return {{"network", "what connects the nodes"}};
}

template <class Fabrics>
struct ConfigOn {
  std::string base;
  HardwareOn<Fabrics> machine;
  file_systems::FileSystemParams file_system;
  workload::WorkloadParams workload;
  std::vector<Fault> faults;
  RunParams run;
  BOOST_DESCRIBE_CLASS(ConfigOn, (), (base, machine, file_system, workload, faults, run), (), ())

  friend void check(const ConfigOn& config, const std::string&, Problems& problems) {
    check_faults(config.faults, draw(config, problems), "faults", problems);
  }
  /// Called when the configuration is that of the base alone.
  friend void is_base(ConfigOn& config) { config.machine.unset = config.machine; }  // NOLINT(cppcoreguidelines-slicing)
};
template <class Fabrics>
std::vector<Param> parameters(const ConfigOn<Fabrics>*) {
  return {{"base",
           "the machine that this one differs from: the name of a preset, or the path of a configuration, which may "
           "have a base itself"},
          {"machine", "the hardware, and the software that comes with it"},
          Param{"file_system", "the software between applications and disks", Tuning::setting}
              .used_unless("workload.kind", std::vector<std::string>{"streams", "exchange"})
              .used_unless("workload.jobs", "[]"),
          {"workload", "what the applications do", Tuning::fixed},
          {"faults", "faults of the machine's parts during the run", Tuning::fixed},
          {"run", "how many trials, and from which seed", Tuning::fixed}};
}

using Config = ConfigOn<network::Fabrics>;

/// The machine that a preset describes (platforms/presets).
Config preset(std::string name);

/// The machine's blueprint. Adds what is impossible to `problems`.
template <class Fabrics>
Blueprint draw(const ConfigOn<Fabrics>& config, Problems& problems) {
  const Fabrics fabric = network::chosen_for(config.machine.network.kind, node_count(config.machine));
  return draw(
      config.machine, network::places(fabric),
      [fabric](const sc_core::sc_module_name& name, std::uint64_t seed, Timetable& timetable) {
        return network::make(fabric, name, seed, &timetable);
      },
      config.run.seed, "machine", problems);
}

/// The same. Throws ConfigError if the machine cannot be built.
template <class Fabrics>
Blueprint blueprint(const ConfigOn<Fabrics>& config) {
  Problems problems;
  Blueprint drawn = draw(config, problems);
  problems.throw_if_any();
  return drawn;
}

/// The same configuration with the nodes of its blueprint in place of the counts, and with nothing left to choose.
template <class Fabrics>
ConfigOn<Fabrics> spelt_out(ConfigOn<Fabrics> config) {
  config.machine.network.kind = network::chosen_for(config.machine.network.kind, node_count(config.machine));
  static_cast<MachineParams&>(config.machine) = blueprint(config).machine;
  return config;
}

/// The plan of one of the machine's trials; the first one writes records, if they are wanted.
template <class Fabrics>
Plan plan(const ConfigOn<Fabrics>& config, std::uint32_t trial = 0) {
  return {config.file_system,    config.workload,
          config.faults,         {},
          config.run.data,       trial == 0 ? config.run.records : "",
          config.run.statistics, trial == 0 ? config.run.interval : Duration{}};
}

template <class Fabrics>
kit::Trial<Result> run_trial(const ConfigOn<Fabrics>& config, std::uint32_t trial, const kit::Watch& watch = {},
                             const MakeFileSystem& make = {}) {
  auto outcome = run_trial(blueprint(config), plan(config, trial), config.run.seed + trial, watch, make);
  if (watch.explain) kit::add_advice(outcome.explanation, config);
  return outcome;
}

}  // namespace sunstar::machine
