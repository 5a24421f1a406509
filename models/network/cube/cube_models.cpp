// SPDX-License-Identifier: MIT
// The models of a cube network, by name.
#include <cassert>

#include "models/network/cube/flit_network.h"
#include "models/network/cube/worm_network.h"

namespace sunstar::network {
namespace {

template <class Model>
std::unique_ptr<CubeNetwork> make_model(const sc_core::sc_module_name& name, const CubeParams& params,
                                        std::uint64_t seed, Timetable* timetable) {
  return std::make_unique<Model>(name, params, seed, timetable);
}

struct Entry {
  const char* name;
  std::unique_ptr<CubeNetwork> (*create)(const sc_core::sc_module_name&, const CubeParams&, std::uint64_t seed,
                                         Timetable*);
};

// One line for each model.
const Entry models[] = {
    {"worm", make_model<WormNetwork>},
    {"flit", make_model<FlitNetwork>},
};

}  // namespace

std::vector<std::string> cube_models() {
  std::vector<std::string> names;
  for (const Entry& m : models) names.emplace_back(m.name);
  return names;
}

std::unique_ptr<CubeNetwork> CubeNetwork::create(const sc_core::sc_module_name& name, const CubeParams& params,
                                                 std::uint64_t seed, Timetable* timetable) {
  for (const Entry& m : models)
    if (params.model == m.name) return m.create(name, params, seed, timetable);
  assert(!"the name was checked when the configuration was read");
  return nullptr;
}

std::unique_ptr<Fabric> make(const CubeParams& params, const sc_core::sc_module_name& name, std::uint64_t seed,
                             Timetable* timetable) {
  return CubeNetwork::create(name, params, seed, timetable);
}

}  // namespace sunstar::network
