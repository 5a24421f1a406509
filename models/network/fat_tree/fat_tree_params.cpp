// SPDX-License-Identifier: MIT
#include "models/network/fat_tree/fat_tree_params.h"

#include <cmath>

#include "models/network/fat_tree/fat_tree.h"

namespace sunstar::network {

std::uint32_t FatTreeParams::leaf_down() const {
  return static_cast<std::uint32_t>(std::lround(switch_ports * oversubscription / (1 + oversubscription)));
}

Places places(const FatTreeParams& params) {
  Places all = Places::by_number(FatTree(params.switch_ports, params.levels, params.leaf_down()).nodes());
  all.size = "switch_ports";
  return all;
}

// The buffers on the longest way hold most of one node's messages.
Pace pace(const FatTreeParams& params) {
  return Pace::by_bytes(params.link_bandwidth, 2 * (2 * params.levels - 1) * params.switch_buffer.count);
}

std::vector<Param> parameters(const FatTreeParams*) {
  return {
      {"switch_ports",
       "ports of each switch; switches above the leaves have half their ports down and half up, top switches all down "
       "(an HDR switch: 40)",
       "2", "128", Tuning::part},
      {"levels", "levels of switches; with all ports in use, 40 ports connect 800 nodes by 2 levels, 16,000 by 3", "1",
       "5", Tuning::part},
      Param{"oversubscription",
            "ports of a leaf switch to nodes for each port up, as nearly as the number of ports allows; 1: the tree "
            "carries all traffic of its nodes",
            "0.01", "100"}
          .used_unless("levels", "1")
          .usually("1", "8"),
      Param{"routing",
            "the port by which a message goes up from a switch. d-mod-k: chosen by its destination; adaptive: the "
            "least loaded",
            Tuning::setting}
          .used_unless("levels", "1"),
      {"link_bandwidth", "bandwidth of each link in each direction", "1kB/s", "1TB/s", faster_network},
      {"switch_delay", "delay of a message's head in each switch", "0ns", "1ms", faster_network},
      {"cable_delay", "delay of a cable: 5 ns a metre", "0ns", "1ms", faster_network},
      {"switch_buffer",
       "credits: bytes of waiting messages that the input buffer of a switch takes for each of the two virtual "
       "channels "
       "of a link; while it is full, that virtual channel is closed",
       "0B", "1GiB"},
      {"input_fifo", "requests that the input FIFO of an interface holds before their senders have to wait", "1",
       "65536", Tuning::setting},
      {"timing_variation",
       "largest random delay of a message, uniform from zero: breaks artificial symmetry",
       "0ns",
       "1ms",
       {Tuning::fixed, faster_network}},
  };
}

void check(const FatTreeParams& params, const std::string& path, Problems& problems) {
  const auto number = [](auto n) { return std::to_string(n); };
  const std::uint32_t ports = params.switch_ports, down = params.leaf_down();
  if (params.levels > 2 && ports % 2 != 0)
    problems.add(json_path(path, "switch_ports"),
                 "is " + number(ports) + "; with more than two levels of switches it must be even");
  if (params.levels > 1 && (down == 0 || down == ports)) {
    problems.add(json_path(path, "oversubscription"), "leaves no port of a leaf switch to nodes, or none up; with " +
                                                          number(ports) + " switch_ports it must be from " +
                                                          number(1.0 / (ports - 1)) + " to " + number(ports - 1));
    return;
  }
  double nodes = ports;
  for (std::uint32_t level = 1; level < params.levels; ++level) nodes *= level == 1 ? down : ports / 2;
  if (nodes > 131072)
    problems.add(json_path(path, "levels"), "is " + number(params.levels) +
                                                ", which connects more than 131072 nodes "
                                                "by switches of " +
                                                number(ports) + " ports; that is the most");
}

}  // namespace sunstar::network
