// SPDX-License-Identifier: MIT
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
  const auto number = [](std::uint64_t n) { return std::to_string(n); };
  const Duration flit = params.flit_time();
  if (flit < router.cycle || flit % router.cycle != Duration{})
    problems.add(json_path(router_path, "flit_size"), "is " + number(router.flit_size.count) + " bytes, which take " +
                                                          number(static_cast<std::uint64_t>(flit.count())) +
                                                          " ps on a link; it must be a whole number of cycles of " +
                                                          number(static_cast<std::uint64_t>(router.cycle.count())) +
                                                          " ps");
  if (flit / router.cycle > 4096)
    problems.add(
        json_path(router_path, "flit_size"),
        "takes " + number(static_cast<std::uint64_t>(flit / router.cycle)) + " cycles on a link; 4096 is the most");
  if (params.topology == Topology::torus && vc_class_rule(router.vc_class_rule).classes && router.virtual_channels < 2)
    problems.add(json_path(router_path, "virtual_channels"),
                 "is 1; the rule " + router.vc_class_rule + " needs at least 2 on a torus");
  if (router.speculative && router.vc_allocation_delay != router.switch_allocation_delay)
    problems.add(json_path(router_path, "speculative"),
                 "is true; vc_allocation_delay and switch_allocation_delay must then be the same, not " +
                     number(router.vc_allocation_delay) + " and " + number(router.switch_allocation_delay));
  if (shape.size() > 15)
    problems.add(json_path(path, "shape"),
                 "has " + number(shape.size()) + " dimensions; the flit model has at most 15");
}

}  // namespace sunstar::network
