// SPDX-License-Identifier: MIT
#include "platforms/torus/config.h"

#include <algorithm>

#include "models/network/cube/cube_network.h"

namespace sunstar::torus {

namespace {

machine::Places places_of(const network::Cube& cube) {
  const auto& shape = cube.shape();
  machine::Places places;
  places.ports = cube.routers();
  places.port_at = [cube](const machine::Places::Coordinates& c) -> std::optional<std::uint32_t> {
    if (!std::ranges::equal(c, cube.shape(), std::less<>{})) return std::nullopt;
    return cube.router_at(c);
  };
  places.coordinates = [cube](std::uint32_t port) { return cube.coordinates(port); };
  places.rule = std::to_string(shape.size()) + " coordinates inside the torus of shape " + text_of(shape);
  places.size_path = "network.shape";
  places.noun = "routers";
  return places;
}

/// With a shape that holds all nodes, if none is given.
network::CubeParams chosen_network(const Config& config) {
  network::CubeParams network = config.machine.network;
  network.shape = network.shape.chosen_for(machine::node_count(config.machine));
  return network;
}

}  // namespace

Config spelt_out(Config config) {
  config.machine.network = chosen_network(config);
  return machine::spelt_out(std::move(config));
}

machine::Blueprint draw(const Config& config, Problems& problems) {
  const network::CubeParams network = chosen_network(config);
  return machine::draw(
      config.machine, places_of(network::Cube(network.shape.sizes(), network.topology)),
      [network](const sc_core::sc_module_name& name, std::uint64_t seed, Timetable& timetable) {
        return network::CubeNetwork::create(name, network, seed, &timetable);
      },
      config.run.seed, "machine", problems);
}

void check(const Config& config, const std::string&, Problems& problems) {
  const Shape& given = config.machine.network.shape;
  if (!given.is_to_choose() && !network::buildable(given.sizes())) return;  // the network's own check says so
  if (const auto shape = chosen_network(config).shape; !network::buildable(shape.sizes())) {
    problems.add("machine.nodes", "has " + std::to_string(machine::node_count(config.machine)) +
                                      " nodes; a network has at most " + std::to_string(network::most_routers) +
                                      " routers");
    return;
  }
  const machine::Blueprint b = draw(config, problems);
  machine::check_faults(config.faults, b.compute_processors(), "faults", problems);
}

}  // namespace sunstar::torus
