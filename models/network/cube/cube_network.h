// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "models/network/cube/cube.h"
#include "models/network/cube/cube_params.h"
#include "models/network/fabric.h"

namespace sunstar::network {

/// A fabric of routers in a cube with links between them; each router is a port. The models that derive from it decide
/// how messages move along the links.
class CubeNetwork : public Fabric {
 public:
  /// Creates the model that `params.model` names. `seed` drives ties and the timing variation. A network that shares no
  /// timetable with the nodes creates its own.
  static std::unique_ptr<CubeNetwork> create(const sc_core::sc_module_name& name, const CubeParams& params,
                                             std::uint64_t seed, Timetable* timetable = nullptr);

  /// The routers and channels; a port's number is its router's.
  const Cube& cube() const { return cube_; }
  std::vector<Link> links() const override;
  std::string topology() const override { return cube_.topology() == Topology::torus ? "torus" : "mesh"; }
  /// Adds the utilisation of every channel and of the busiest.
  void add_statistics(StatisticSet&) override;
  Duration zero_load(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const override {
    return zero_load_over(cube_.distance(from, to), bytes);
  }
  Duration zero_load_of(const Route& route) const override { return zero_load_over(route.hops, route.bytes); }

 protected:
  CubeNetwork(const sc_core::sc_module_name& name, const CubeParams& params, std::uint64_t seed, Timetable* timetable);

  std::string port_noun() const override { return "router"; }
  /// How long a message over `hops` links takes if nothing stops it.
  virtual Duration zero_load_over(std::uint32_t hops, std::uint64_t bytes) const = 0;

 private:
  Cube cube_;
};

}  // namespace sunstar::network
