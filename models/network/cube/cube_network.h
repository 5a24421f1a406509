// SPDX-License-Identifier: MIT
#pragma once
#include "models/network/cube/cube_params.h"
#include "models/network/fabric.h"

namespace sunstar::network {

/// A fabric of routers in a cube with links between them; each router is a port. Derived models decide how messages
/// move along the links. Messages go round links and routers that are down (detour()).
class CubeNetwork : public Fabric {
 public:
  /// Creates the model named by `params.model`.
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
  std::string unsafe_detours() const override;

 protected:
  CubeNetwork(const sc_core::sc_module_name& name, const CubeParams& params, std::uint64_t seed, Timetable* timetable);

  std::string port_noun() const override { return "router"; }
  /// A message's random bits: ties (Cube::Directions) and the coins of the class rule.
  std::uint64_t random_of(const Route& route) { return has_faults() ? route.fate.random : random_.next(); }
  /// The unloaded latency of a message over `hops` links.
  virtual Duration zero_load_over(std::uint32_t hops, std::uint64_t bytes) const = 0;

 private:
  void choose_way(Route&) override;
  void add_links(const Route&, std::vector<std::uint32_t>&) const override;
  bool link_down(std::uint32_t channel) override;

  const VcClassRule& rule_;
  Cube cube_;
};

/// The models, each in the file of its name.
std::unique_ptr<CubeNetwork> worm_network(const sc_core::sc_module_name& name, const CubeParams& params,
                                          std::uint64_t seed, Timetable* timetable);
std::unique_ptr<CubeNetwork> flit_network(const sc_core::sc_module_name& name, const CubeParams& params,
                                          std::uint64_t seed, Timetable* timetable);

}  // namespace sunstar::network
