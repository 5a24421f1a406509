// SPDX-License-Identifier: MIT
#include "platforms/torus/config.h"

#include <algorithm>

#include "models/network/cube/cube_network.h"

namespace sunstar::torus {

namespace {

machine::Places places_of(const network::Cube& cube) {
  const auto& shape = cube.shape();
  std::string shape_text = "[";
  for (std::size_t d = 0; d < shape.size(); ++d) shape_text += (d ? "," : "") + std::to_string(shape[d]);
  machine::Places places;
  places.ports = cube.routers();
  places.port_at = [cube](const machine::Places::Coordinates& c) -> std::optional<std::uint32_t> {
    if (!std::ranges::equal(c, cube.shape(), std::less<>{})) return std::nullopt;
    return cube.router_at(c);
  };
  places.coordinates = [cube](std::uint32_t port) { return cube.coordinates(port); };
  places.rule = std::to_string(shape.size()) + " coordinates inside the torus of shape " + shape_text + "]";
  places.size_path = "network.shape";
  places.noun = "routers";
  return places;
}

}  // namespace

machine::Blueprint draw(const Config& config, Problems& problems) {
  const network::CubeParams& network = config.machine.network;
  return machine::draw(
      config.machine, places_of(network::Cube(network.shape, network.topology)),
      [network](const sc_core::sc_module_name& name, std::uint64_t seed, Timetable& timetable) {
        return network::CubeNetwork::create(name, network, seed, &timetable);
      },
      config.run.seed, "machine", problems);
}

void check(const Config& config, const std::string&, Problems& problems) {
  if (!network::buildable(config.machine.network.shape)) return;  // the network's own check says so
  const machine::Blueprint b = draw(config, problems);
  machine::check_faults(config.faults, b.compute_processors(), "faults", problems);
}

}  // namespace sunstar::torus
