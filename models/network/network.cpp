// SPDX-License-Identifier: MIT
#include "models/network/network.h"

#include <cassert>

#include "models/network/worm_network.h"

namespace sunstar::network {

namespace {
struct Model {
  const char* name;
  std::unique_ptr<Network> (*create)(const sc_core::sc_module_name&, const NetworkParams&, std::uint64_t seed,
                                     Timetable*);
};

// One line a model.
const Model models[] = {
    {"worm", [](const sc_core::sc_module_name& name, const NetworkParams& params, std::uint64_t seed, Timetable* timetable)
                 -> std::unique_ptr<Network> { return std::make_unique<WormNetwork>(name, params, seed, timetable); }},
};
}  // namespace

std::vector<std::string> network_models() {
  std::vector<std::string> names;
  for (const Model& m : models) names.push_back(m.name);
  return names;
}

std::unique_ptr<Network> Network::create(const sc_core::sc_module_name& name, const NetworkParams& params,
                                         std::uint64_t seed, Timetable* timetable) {
  for (const Model& m : models)
    if (params.model == m.name) return m.create(name, params, seed, timetable);
  assert(!"the name was checked when the configuration was read");
  return nullptr;
}

Network::Network(const sc_core::sc_module_name& name, std::uint32_t routers, Timetable* timetable)
    : sc_module(name),
      from_node("from_node", routers),
      to_node("to_node", routers),
      own_timetable_(timetable ? nullptr : std::make_unique<Timetable>("timetable")),
      timetable_(timetable ? *timetable : *own_timetable_) {
  for (std::uint32_t r = 0; r < routers; ++r) {
    from_node[r].register_nb_transport_fw(this, &Network::accept, static_cast<int>(r));
    to_node[r].register_nb_transport_bw(this, &Network::taken, static_cast<int>(r));
  }
}

void Network::end_of_elaboration() {
  for (auto& socket : to_node) receivers_.push_back(socket.operator->());
}

}  // namespace sunstar::network
