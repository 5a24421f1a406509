// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <string>
#include <vector>

#include "models/network/switch/switch_params.h"
#include "platforms/machine/configured.h"
#include "platforms/machine/sections.h"
#include "sw/os/socket_params.h"

// The configuration of sunstar-sp2.
namespace sunstar::sp2 {

/// The SP-2 of Galley's measurements (Galley, 6.1): POWER2 nodes on a multistage switch, used through TCP/IP.
struct MachineParams : machine::MachineParams {
  network::SwitchParams network;
  os::SocketParams sockets;
  MachineParams();  ///< with this machine's values
};
BOOST_DESCRIBE_STRUCT(MachineParams, (machine::MachineParams), (network, sockets))
inline std::vector<Param> parameters(const MachineParams*) {
  return {{"network", "the switch"}, {"sockets", "TCP, through which all messages go"}};
}

struct Config : machine::Sections<MachineParams> {
  Config();  ///< with the measurements' file system
};
BOOST_DESCRIBE_STRUCT(Config, (machine::Sections<MachineParams>), ())
inline std::vector<Param> parameters(const Config*) { return {}; }
/// Rules across sections.
void check(const Config&, const std::string& path, Problems&);

/// The machine's blueprint. Adds what is impossible to `problems`.
machine::Blueprint draw(const Config& config, Problems& problems);

using machine::blueprint, machine::spelt_out, machine::task, machine::run_trial;

}  // namespace sunstar::sp2
