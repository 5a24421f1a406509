// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <filesystem>
#include <vector>

#include "platforms/kit/run/run_params.h"
#include "platforms/machine/run.h"

// The sections of a machine's configuration.
namespace sunstar::machine {

/// Says what the seed determines.
struct RunParams : kit::RunParams {
  std::filesystem::path records;
};
BOOST_DESCRIBE_STRUCT(RunParams, (kit::RunParams), (records))
inline std::vector<Param> parameters(const RunParams*) {
  return {
      {"seed",
       "determines layouts, spindle phases, first head positions, clocks, the timing variation and whatever the "
       "network draws at random; a random placement is the same in all trials"},
      {"records", "CSV file to write, with one line for each call or collective of the first trial; none if empty"}};
}

/// What the configuration of every machine consists of. `Hardware` is derived from MachineParams and adds the fabric;
/// the platform's Config is derived from this, so that its constructor may set values of its own.
template <class Hardware>
struct Sections {
  Hardware machine;
  file_systems::FileSystemParams file_system;
  workload::WorkloadParams workload;
  std::vector<Fault> faults;
  RunParams run;
  BOOST_DESCRIBE_CLASS(Sections, (), (machine, file_system, workload, faults, run), (), ())
};
template <class Hardware>
std::vector<Param> parameters(const Sections<Hardware>*) {
  return {{"machine", "the hardware, and the software that comes with it"},
          Param{"file_system", "the software between applications and disks"}
              .used_unless("workload.kind", "streams")
              .used_unless("workload.jobs", "[]"),
          {"workload", "what the applications do"},
          {"faults", "compute processors that stop during the run; of the file systems, only ENWRICH survives that"},
          {"run", "how many trials, and from which seed"}};
}

}  // namespace sunstar::machine
