// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/machine/run/config.h"

namespace sunstar::test {

/// The parameters of the configuration's fabric, which must be of that kind.
template <class Params>
Params& fabric_of(auto& config) {
  return config.machine.network.kind.template as<Params>();
}
network::CubeParams& cube_of(auto& config) { return fabric_of<network::CubeParams>(config); }

/// TCP, which the machine must have.
inline os::SocketParams& tcp_of(machine::Config& config) { return config.machine.sockets.kind.as<os::SocketParams>(); }

}  // namespace sunstar::test
