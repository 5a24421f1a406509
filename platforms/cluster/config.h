// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <string>
#include <vector>

#include "models/network/ethernet/ethernet_params.h"
#include "platforms/machine/configured.h"
#include "platforms/machine/sections.h"
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

struct Config : machine::Sections<MachineParams> {
  Config();  ///< with the measurements' file system and benchmark
};
BOOST_DESCRIBE_STRUCT(Config, (machine::Sections<MachineParams>), ())
inline std::vector<Param> parameters(const Config*) { return {}; }
/// Rules across sections.
void check(const Config&, const std::string& path, Problems&);

/// The machine's blueprint. Adds what is impossible to `problems`.
machine::Blueprint draw(const Config& config, Problems& problems);

using machine::blueprint, machine::spelt_out, machine::task, machine::run_trial;

}  // namespace sunstar::cluster
