// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <string>
#include <vector>

#include "models/network/cube/cube_params.h"
#include "platforms/kit/run/run_params.h"
#include "platforms/machine/configured.h"

// The configuration of sunstar-torus.
namespace sunstar::torus {

/// The hardware: nodes on the routers of a torus or mesh.
struct MachineParams : machine::MachineParams {
  network::CubeParams network;
};
BOOST_DESCRIBE_STRUCT(MachineParams, (machine::MachineParams), (network))
inline std::vector<Param> parameters(const MachineParams*) { return {{"network", "routers and links"}}; }

/// Says what the seed determines here.
struct RunParams : kit::RunParams {};
BOOST_DESCRIBE_STRUCT(RunParams, (kit::RunParams), ())
inline std::vector<Param> parameters(const RunParams*) {
  return {{"seed",
           "determines layouts, spindle phases, first head positions and the timing variation; a random placement is "
           "the same in all trials"}};
}

struct Config {
  MachineParams machine;
  file_systems::FileSystemParams file_system;
  workload::WorkloadParams workload;
  std::vector<machine::Fault> faults;
  RunParams run;
};
BOOST_DESCRIBE_STRUCT(Config, (), (machine, file_system, workload, faults, run))
inline std::vector<Param> parameters(const Config*) {
  return {{"machine", "the hardware"},
          Param{"file_system", "the software between applications and disks"}
              .used_unless("workload.kind", "streams")
              .used_unless("workload.jobs", "[]"),
          {"workload", "what the applications do"},
          {"faults", "compute processors that stop during the run; of the file systems, only ENWRICH survives that"},
          {"run", "how many trials, and from which seed"}};
}
/// Rules across sections.
void check(const Config&, const std::string& path, Problems&);

/// The machine's blueprint. Adds what is impossible to `problems`.
machine::Blueprint draw(const Config& config, Problems& problems);

using machine::blueprint, machine::spelt_out, machine::task, machine::run_trial;

}  // namespace sunstar::torus
