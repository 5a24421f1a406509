// SPDX-License-Identifier: MIT
#include "platforms/kit/structure/network.h"

namespace sunstar::kit {
namespace {

json::array numbers(const network::Places::Coordinates& all) { return json::array(all.begin(), all.end()); }

json::array ports_of(const network::Fabric& fabric, const network::Places& places, const std::string& prefix) {
  json::array ports;
  for (std::uint32_t port = 0; port < fabric.ports(); ++port)
    ports.push_back({{"name", prefix + fabric.port_name(port)}, {"place", numbers(places.coordinates(port))}});
  return ports;
}

json::array links_of(const network::Fabric& fabric, const std::string& prefix) {
  json::array links;
  for (const auto& link : fabric.links())
    links.push_back({{"name", prefix + link.name},
                     {"from", prefix + link.from},
                     {"to", prefix + link.to},
                     {"bytes_per_s", fabric.link_bandwidth().bytes_per_second}});
  return links;
}

}  // namespace

json::object network_structure(const network::Fabric& fabric, const network::Places& places, std::string_view kind) {
  const std::string prefix = std::string(fabric.name()) + ".";
  return {{"name", fabric.name()},
          {"kind", kind},
          {"topology", fabric.topology()},
          {"shape", places.by_coordinates ? numbers(places.shape) : json::array{}},
          {"ports", ports_of(fabric, places, prefix)},
          {"links", links_of(fabric, prefix)}};
}

}  // namespace sunstar::kit
