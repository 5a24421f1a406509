// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/problems.h"
#include "models/core/shape.h"
#include "models/network/cube/cube.h"
#include "models/network/cube/vc_class_rule.h"
#include "models/network/places.h"

namespace sunstar::network {

/// A router of the flit model: its pipeline in cycles of its clock, its buffers. The defaults are the machine of
/// TR94-226 in full detail: 4 cycles of 5 ns make a router's 20 ns, and a byte every 5 ns makes a link's 200e6 bytes
/// per second.
struct RouterParams {
  Duration cycle = std::chrono::nanoseconds{5};
  Bytes flit_size{1};
  std::uint32_t routing_delay = 0;
  std::uint32_t vc_allocation_delay = 1;
  std::uint32_t switch_allocation_delay = 1;
  bool speculative = false;
  std::uint32_t traversal_delay = 1;
  std::uint32_t link_delay = 1;
  std::uint32_t buffer_flits = 16;
  std::uint32_t virtual_channels = 2;
  std::string vc_class_rule = "static";
  bool wait_for_tail_credit = false;

  /// Cycles from router to router for an unhindered head.
  std::uint32_t cycles_per_hop() const {
    const std::uint32_t in_turn = vc_allocation_delay + switch_allocation_delay;
    return routing_delay + (speculative ? switch_allocation_delay : in_turn) + traversal_delay + link_delay;
  }
};
BOOST_DESCRIBE_STRUCT(RouterParams, (),
                      (cycle, flit_size, routing_delay, vc_allocation_delay, switch_allocation_delay, speculative,
                       traversal_delay, link_delay, buffer_flits, virtual_channels, vc_class_rule,
                       wait_for_tail_credit))

inline std::vector<Param> parameters(const RouterParams*) {
  // The worm model uses the cycle and the rule for virtual channels.
  const auto of_flits = [](Param p) { return std::move(p).used_if("model", {"flit"}); };
  return {
      {"cycle", "clock period of the routers; the delays below count its cycles", "1ps", "1us", faster_network},
      {"flit_size", "bytes of a flit, which must take a whole number of cycles at link_bandwidth", "1B", "4KiB"},
      of_flits({"routing_delay", "cycles of route computation for a head; 0: the previous router computes it ahead",
                "0", "64"}),
      of_flits({"vc_allocation_delay", "cycles of virtual-channel allocation for a head", "1", "64"}),
      of_flits({"switch_allocation_delay", "cycles of switch allocation for every flit", "1", "64"}),
      of_flits({"speculative", "heads ask for the switch while they ask for a virtual channel"}),
      of_flits({"traversal_delay", "cycles through the crossbar", "1", "64"}),
      of_flits({"link_delay", "cycles that a flit takes on a link, and a credit on its way back", "1", "64"}),
      of_flits({"buffer_flits", "flits that the buffer of an input virtual channel holds", "1", "65535"}),
      of_flits(
          {"virtual_channels", "virtual channels of each channel; a torus needs two for its two classes", "1", "16"}),
      {"vc_class_rule",
       "how a packet chooses its class of virtual channels on a ring: dateline switches class at the dateline, static "
       "chooses on entering the dimension, balanced likewise but spreads the load; none is safe on a mesh only",
       "", "", vc_class_rules()},
      of_flits({"wait_for_tail_credit",
                "an output virtual channel takes the next packet only when the last one's tail credit is back"}),
  };
}

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
       "largest random delay of a node's message, uniform from zero: breaks artificial symmetry; synthetic traffic has "
       "none",
       "0ns",
       "1ms",
       {Tuning::fixed, faster_network}},
  };
}
/// Rules across members.
void check(const CubeParams&, const std::string& path, Problems&);

/// The model named by `model`.
std::unique_ptr<Fabric> make(const CubeParams&, const sc_core::sc_module_name&, std::uint64_t seed, Timetable*);
Places places(const CubeParams& params);
Pace pace(const CubeParams& params);
/// The parameters, with a shape that has a router for each node if none is given.
inline CubeParams chosen_for(CubeParams params, std::uint64_t nodes) {
  params.shape = params.shape.chosen_for(nodes);
  return params;
}

}  // namespace sunstar::network
