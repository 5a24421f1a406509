// SPDX-License-Identifier: MIT
#include "models/network/cube/cube_network.h"

#include "models/network/cube/cube_params.h"

namespace sunstar::network {

Places places(const CubeParams& params) {
  Places all{params.shape.sizes(), "", "shape", "router"};
  all.ports_per_router = 1;
  if (params.shape.is_to_choose())
    all.undecided = "is \"" + std::string(params.shape.word()) +
                    "\"; without nodes, nothing says how many routers that is; it must be the routers in each "
                    "dimension, such as \"6x6\"";
  else all.rule = std::to_string(all.shape.size()) + " coordinates inside the torus of shape " + text_of(all.shape);
  return all;
}

Pace pace(const CubeParams& params) {
  const RouterParams& r = params.router;
  const std::uint64_t channels = 2 * params.shape.sizes().size() + 1;
  return {r.cycle, r.flit_size, params.flit_time(), channels * r.virtual_channels * r.buffer_flits * r.flit_size.count};
}

void check(const CubeParams& params, const std::string& path, Problems& problems) {
  const Shape::Sizes& shape = params.shape.sizes();
  if (!params.shape.is_to_choose() && !buildable(shape))
    problems.add(json_path(path, "shape"), shape.empty() ? "is empty; it must have at least one dimension"
                                                         : "has more than " + std::to_string(most_routers) +
                                                               " routers, the most a network can have");
  if (params.model != "flit") return;
  const RouterParams& router = params.router;
  const std::string router_path = json_path(path, "router");
  const Duration flit = params.flit_time();
  if (flit < router.cycle || flit % router.cycle != Duration{})
    problems.add(json_path(router_path, "flit_size"), "is ", router.flit_size.count, " bytes, which take ",
                 flit.count(), " ps on a link; it must be a whole number of cycles of ", router.cycle.count(), " ps");
  if (flit / router.cycle > 4096)
    problems.add(json_path(router_path, "flit_size"), "takes ", flit / router.cycle,
                 " cycles on a link; 4096 is the most");
  if (params.topology == Topology::torus && vc_class_rule(router.vc_class_rule).classes && router.virtual_channels < 2)
    problems.add(json_path(router_path, "virtual_channels"), "is 1; the rule ", router.vc_class_rule,
                 " needs at least 2 on a torus");
  if (router.speculative && router.vc_allocation_delay != router.switch_allocation_delay)
    problems.add(json_path(router_path, "speculative"),
                 "is true; vc_allocation_delay and switch_allocation_delay must then be the same, not ",
                 router.vc_allocation_delay, " and ", router.switch_allocation_delay);
  if (shape.size() > 15)
    problems.add(json_path(path, "shape"), "has ", shape.size(), " dimensions; the flit model has at most 15");
}

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

CubeNetwork::CubeNetwork(const sc_core::sc_module_name& name, const CubeParams& params, std::uint64_t seed,
                         Timetable* timetable)
    : Fabric(name,
             {Cube(params.shape.sizes()).routers(), params.input_fifo, params.timing_variation, params.link_bandwidth,
              Cube(params.shape.sizes()).channels(), 1},
             seed, timetable),
      rule_(vc_class_rule(params.router.vc_class_rule)),
      cube_(params.shape.sizes(), params.topology) {}

void CubeNetwork::choose_way(Route& route) {
  route.fate.random = random_.next();
  if (!faults().breaks_links()) return;
  const auto ties = static_cast<std::uint32_t>(route.fate.random);
  const auto way = detour(cube_, route.from, route.to, ties, [this](std::uint32_t link) { return link_down(link); });
  if (!way) return;  // add_links() will find the links that are down
  route.fate.random ^= ties ^ way->up;
  route.fate.forced = way->forced;
}

void CubeNetwork::add_links(const Route& route, std::vector<std::uint32_t>& links) const {
  struct Visitor {
    std::vector<std::uint32_t>& links;
    void operator()(std::uint32_t) const {}
    void operator()(std::uint32_t link, const Cube::RouteLink&) const { links.push_back(link); }
  };
  cube_.route(route.from, route.to, {static_cast<std::uint32_t>(route.fate.random), route.fate.forced}, Visitor{links});
}

bool CubeNetwork::link_down(std::uint32_t channel) {
  const std::uint32_t router = cube_.router_of(channel);
  return Fabric::link_down(channel) || faults().router_down(router, now()) ||
         faults().router_down(cube_.end_of(channel), now());
}

std::string CubeNetwork::unsafe_detours() const {
  if (cube_.topology() == Topology::mesh || !rule_.classes || rule_.name == "dateline") return {};
  return "machine.network.router.vc_class_rule is " + std::string(rule_.name) +
         ": messages that go the longer way round a ring could wait for one another for ever; set it to dateline";
}

std::vector<Fabric::Link> CubeNetwork::links() const {
  std::vector<Link> all;
  for (std::uint32_t router = 0; router < cube_.routers(); ++router)
    for (std::uint32_t d = 0; d < cube_.dimensions(); ++d)
      for (const bool up : {true, false}) {
        if (!cube_.has_link(router, d, up)) continue;
        const std::uint32_t channel = cube_.link(router, d, up);
        all.push_back(
            {cube_.channel_name(channel), port_name(router), port_name(cube_.neighbour(router, d, up)), channel});
      }
  return all;
}

void CubeNetwork::add_statistics(StatisticSet& set) {
  Fabric::add_statistics(set);
  set.add({std::string(name()) + ".busiest_channel", "share of time for which bytes passed the busiest channel",
           "fraction", [this] {
             double most = 0;
             for (std::uint32_t c = 0; c < cube_.channels(); ++c) most = std::max(most, utilisation(c));
             return most;
           }});
  for (std::uint32_t c = 0; c < cube_.channels(); ++c) {
    const bool terminal = c == cube_.injection(cube_.router_of(c)) || c == cube_.ejection(cube_.router_of(c));
    if (!terminal && !cube_.is_link(c)) continue;
    add_utilisation(set, cube_.channel_name(c) + "_utilisation", "share of time for which bytes passed the channel", c);
  }
}

}  // namespace sunstar::network
