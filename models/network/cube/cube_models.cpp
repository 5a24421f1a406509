// SPDX-License-Identifier: MIT
// The models of a cube network, by name.
#include <cassert>

#include "models/network/cube/cube_network.h"

namespace sunstar::network {

std::vector<std::string> cube_models() { return {"worm", "flit"}; }

std::unique_ptr<CubeNetwork> CubeNetwork::create(const sc_core::sc_module_name& name, const CubeParams& params,
                                                 std::uint64_t seed, Timetable* timetable) {
  if (params.model == "flit") return flit_network(name, params, seed, timetable);
  assert(params.model == "worm");
  return worm_network(name, params, seed, timetable);
}

std::unique_ptr<Fabric> make(const CubeParams& params, const sc_core::sc_module_name& name, std::uint64_t seed,
                             Timetable* timetable) {
  return CubeNetwork::create(name, params, seed, timetable);
}

}  // namespace sunstar::network
