// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <string>
#include <vector>

#include "models/network/ethernet/ethernet_params.h"
#include "platforms/kit/run/run_params.h"
#include "platforms/machine/configured.h"
#include "sw/os/socket_params.h"

// The configuration of sunstar-cluster.
namespace sunstar::cluster {

/// The cluster of the measurements (Vilayannur, Kandemir, Sivasubramaniam 2002, section 4.1): personal computers on a
/// shared Ethernet, used through TCP/IP.
struct MachineParams : machine::MachineParams {
  network::EthernetParams network;
  os::SocketParams sockets;
  MachineParams();  ///< with this machine's values
};
BOOST_DESCRIBE_STRUCT(MachineParams, (machine::MachineParams), (network, sockets))
inline std::vector<Param> parameters(const MachineParams*) {
  return {{"network", "the Ethernet"}, {"sockets", "TCP, through which all messages go"}};
}

/// Says what the seed determines here.
struct RunParams : kit::RunParams {};
BOOST_DESCRIBE_STRUCT(RunParams, (kit::RunParams), ())
inline std::vector<Param> parameters(const RunParams*) {
  return {{"seed",
           "determines layouts, spindle phases, first head positions, the Ethernet's back-off, the clocks and the "
           "timing variation; a random placement is the same in all trials"}};
}

struct Config {
  MachineParams machine;
  file_systems::FileSystemParams file_system;
  workload::WorkloadParams workload;
  std::vector<machine::Fault> faults;
  RunParams run;
  Config();  ///< with the measurements' file system and benchmark
};
BOOST_DESCRIBE_STRUCT(Config, (), (machine, file_system, workload, faults, run))
inline std::vector<Param> parameters(const Config*) {
  return {{"machine", "the hardware, and TCP"},
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

}  // namespace sunstar::cluster
