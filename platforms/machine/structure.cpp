// SPDX-License-Identifier: MIT
#include "platforms/machine/structure.h"

#include <boost/describe.hpp>

#include "models/kernel/never_destroyed.h"
#include "platforms/machine/machine.h"

namespace sunstar::machine {

kit::json::object Machine::structure(const Blueprint& blueprint) const {
  kit::json::array nodes, buses, drives, ports, links;
  auto bus = buses_.begin();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const NodeSpec& spec = blueprint.machine.nodes[i];
    nodes.push_back({{"name", nodes_[i]->name()},
                     {"role", boost::describe::enum_to_string(spec.role, "")},
                     {"place", kit::json::array(spec.place.begin(), spec.place.end())},
                     {"port", port_of_[i]}});
    for (std::size_t b = 0; b < spec.buses.size(); ++b, ++bus) {
      buses.push_back({{"name", (*bus)->bus.name()}, {"node", nodes_[i]->name()}});
      for (const auto& disk : (*bus)->disks)
        drives.push_back({{"name", disk->name()}, {"bus", (*bus)->bus.name()}, {"type", disk->drive().params().name}});
    }
  }
  const std::string prefix = std::string(fabric_->name()) + ".";
  for (std::uint32_t port = 0; port < fabric_->ports(); ++port) {
    const auto place = blueprint.places.coordinates(port);
    ports.push_back(
        {{"name", prefix + fabric_->port_name(port)}, {"place", kit::json::array(place.begin(), place.end())}});
  }
  for (const auto& link : fabric_->links())
    links.push_back({{"name", prefix + link.name}, {"from", prefix + link.from}, {"to", prefix + link.to}});
  return {{"nodes", std::move(nodes)},
          {"buses", std::move(buses)},
          {"drives", std::move(drives)},
          {"network", {{"name", fabric_->name()}, {"ports", std::move(ports)}, {"links", std::move(links)}}}};
}

kit::json::object structure(const Blueprint& blueprint, std::string_view fabric) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  constexpr std::uint64_t memory = 1 << 20;  // nothing runs on it
  auto all = never_destroyed<Machine>("machine", blueprint, 1, memory).structure(blueprint);
  all["network"].as_object()["kind"] = fabric;
  return all;
}

}  // namespace sunstar::machine
