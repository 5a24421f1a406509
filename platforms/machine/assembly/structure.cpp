// SPDX-License-Identifier: MIT
#include "platforms/machine/assembly/blueprint.h"

#include "models/kernel/simulation.h"
#include "platforms/kit/structure/network.h"
#include "platforms/machine/assembly/machine.h"

namespace sunstar::machine {

kit::json::object Machine::structure(const Blueprint& blueprint, std::string_view fabric) const {
  const MachineParams& params = blueprint.machine;
  kit::json::array nodes, buses, drives;
  auto bus = buses_.begin();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const NodeSpec& spec = params.nodes[i];
    nodes.push_back({{"name", nodes_[i]->name()},
                     {"role", boost::describe::enum_to_string(spec.role, "")},
                     {"place", kit::json::array(spec.place.begin(), spec.place.end())},
                     {"port", port_of_[i]},
                     {"processor", nodes_[i]->name() + ".cpu"},
                     {"hertz", params.node.clock.hertz},
                     {"memory_bus", nodes_[i]->bus.name()},
                     {"memory_bytes_per_s", params.node.memory_bandwidth.bytes_per_second}});
    for (std::size_t b = 0; b < spec.buses.size(); ++b, ++bus) {
      buses.push_back(
          {{"name", (*bus)->instance()}, {"node", nodes_[i]->name()}, {"bytes_per_s", (*bus)->bytes_per_second()}});
      for (const disk::StorageDevice* drive : (*bus)->drives())
        drives.push_back({{"name", drive->instance()}, {"bus", (*bus)->instance()}, {"type", drive->type()}});
    }
  }
  return {{"nodes", std::move(nodes)},
          {"buses", std::move(buses)},
          {"drives", std::move(drives)},
          {"network", kit::network_structure(*fabric_, blueprint.places, fabric)}};
}

kit::json::object structure(const Blueprint& blueprint, std::string_view fabric) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  constexpr std::uint64_t memory = 1 << 20;  // nothing runs on it
  return never_destroyed<Machine>("machine", blueprint, 1, [](const NodeSpec&) { return memory; })
      .structure(blueprint, fabric);
}

}  // namespace sunstar::machine
