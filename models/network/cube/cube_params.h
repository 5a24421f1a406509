// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "models/core/problems.h"
#include "models/core/shape.h"
#include "models/network/cube/cube.h"
#include "models/network/cube/router_params.h"
#include "models/network/forward.h"
#include "models/network/places.h"

namespace sunstar::network {

/// The routers and links of a torus or mesh.
struct CubeParams {
  static constexpr std::string_view kind = "cube";
  static constexpr std::string_view help = "a torus or mesh of wormhole routers";
  std::string model = "worm";
  Topology topology = Topology::torus;
  Shape shape = *Shape::of_word("square");
  Bandwidth link_bandwidth = 200_MBps;
  Duration router_delay = 20_ns;
  Bytes router_buffer = 16_B;
  std::uint32_t input_fifo = 64;
  RouterParams router;
  Duration timing_variation = 2_us;

  /// Time that a flit takes on a link.
  Duration flit_time() const { return link_bandwidth.time_for(router.flit_size.count); }
};
BOOST_DESCRIBE_STRUCT(CubeParams, (),
                      (model, topology, shape, link_bandwidth, router_delay, router_buffer, input_fifo, router,
                       timing_variation))

/// The values of `model`: the names that CubeNetwork::create() knows.
std::vector<std::string> cube_models();

inline std::vector<Param> parameters(const CubeParams*) {
  return {
      {"model", "how messages are simulated: worm reserves channels a message at a time, flit moves every flit", "", "",
       cube_models(), Tuning::fixed},
      {"topology", "torus: with wrap-around links; mesh: without", Tuning::part},
      {"shape",
       "routers in each dimension; square or cubic: the most nearly square or cubic shape with a router for each node "
       "(TR94-226, Table 1: 6x6, for 32 nodes)",
       "1", "1024"},
      {"link_bandwidth", "bandwidth of each link in each direction (TR94-226, Table 1)", "1kB/s", "1TB/s",
       faster_network},
      Param{"router_delay", "time the head of a message needs through one router (TR94-226, Table 1)", "1ps", "1ms",
            faster_network}
          .used_if("model", {"worm"}),
      Param{"router_buffer",
            "input buffer of a router port; a blocked worm fills it before it holds the channel behind it", "0B",
            "1MiB"}
          .used_if("model", {"worm"}),
      {"input_fifo", "requests that the input FIFO of an interface holds before its senders have to wait", "1", "65536",
       Tuning::setting},
      {"router", "the routers"},
      {"timing_variation",
       "largest random delay of a node's message, uniform from zero: breaks artificial symmetry; synthetic "
       "traffic has "
       "none",
       "0ns",
       "1ms",
       {Tuning::fixed, faster_network}},
  };
}
/// Rules across members.
void check(const CubeParams&, const std::string& path, Problems&);

/// The model named by `model`.
std::unique_ptr<Fabric> make(const CubeParams& params, const sc_core::sc_module_name& name, std::uint64_t seed,
                             Timetable* timetable);
Places places(const CubeParams& params);
Pace pace(const CubeParams& params);
/// The parameters, with a shape that has a router for each node if none is given.
inline CubeParams chosen_for(CubeParams params, std::uint64_t nodes) {
  params.shape = params.shape.chosen_for(nodes);
  return params;
}

}  // namespace sunstar::network
