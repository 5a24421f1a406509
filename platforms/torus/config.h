// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <string>
#include <vector>

#include "models/network/cube/cube_params.h"
#include "platforms/machine/configured.h"
#include "platforms/machine/sections.h"

// The configuration of sunstar-torus.
namespace sunstar::torus {

/// The hardware: nodes on the routers of a torus or mesh.
struct MachineParams : machine::MachineParams {
  network::CubeParams network;
};
BOOST_DESCRIBE_STRUCT(MachineParams, (machine::MachineParams), (network))
inline std::vector<Param> parameters(const MachineParams*) { return {{"network", "routers and links"}}; }

struct Config : machine::Sections<MachineParams> {};
BOOST_DESCRIBE_STRUCT(Config, (machine::Sections<MachineParams>), ())
inline std::vector<Param> parameters(const Config*) { return {}; }
/// Rules across sections.
void check(const Config&, const std::string& path, Problems&);

/// The machine's blueprint. Adds what is impossible to `problems`.
machine::Blueprint draw(const Config& config, Problems& problems);

/// The same configuration with the nodes of its blueprint in place of the counts, and with the shape of its network.
Config spelt_out(Config config);

using machine::blueprint, machine::task, machine::run_trial;

}  // namespace sunstar::torus
