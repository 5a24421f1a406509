// SPDX-License-Identifier: MIT
#include "models/network/fat_tree/fat_tree.h"

namespace sunstar::network {

using Hop = WormCore::Hop;

FatTree::FatTree(std::uint32_t radix, std::uint32_t levels, std::uint32_t leaf_down, bool half_top) {
  std::uint32_t reach = 1, group = 1;
  for (std::uint32_t level = 0; level < levels; ++level) {
    const bool top = level + 1 == levels;
    const std::uint32_t down = top && !half_top ? radix : level == 0 ? leaf_down : radix / 2;
    reach *= down;
    level_.push_back({down, top ? 0 : radix - down, reach, group, 0});
    group *= radix - down;
  }
  nodes_ = reach;
  std::uint32_t links = nodes_;
  for (std::uint32_t level = 0; level < levels; ++level) {
    level_[level].first_link = links;
    links += switches(level) * level_[level].up;
  }
  channels_ = 2 * links;
}

FatTree::FatTree(const FatTreeParams& params)
    : FatTree(params.switch_ports, params.levels, params.leaf_down(), params.half_top) {}

std::uint32_t FatTree::turn(std::uint32_t from, std::uint32_t to) const {
  std::uint32_t level = 0;
  while (from / level_[level].below != to / level_[level].below) ++level;
  return level;
}

FatTree::Up FatTree::ports_up(std::uint32_t level, std::uint32_t from, std::uint32_t to, std::uint32_t w) const {
  const Level& l = level_[level];
  return {2 * link(level, from, w, 0), l.up, to / l.group % l.up};
}

void FatTree::descend(std::uint32_t top, std::uint32_t w, std::uint32_t from, std::uint32_t to,
                      std::vector<Hop>& path) const {
  std::uint8_t input = port_of_node(top, from);
  for (std::uint32_t level = top; level-- > 0;) {
    const Level& l = level_[level];
    const std::uint32_t port = w / l.group;
    w %= l.group;
    path.push_back({2 * link(level, to, w, port) + 1, input});
    input = static_cast<std::uint8_t>(l.down + port);
  }
  path.push_back({ejection(to), input});
}

FatTree::Ends FatTree::ends(std::uint32_t channel) const {
  const std::uint32_t link = channel / 2;
  const auto name = [](std::uint32_t level, std::uint32_t number) {
    return (level == 0 ? "leaf" : "level" + std::to_string(level) + "_") + std::to_string(number);
  };
  if (link < nodes_) return {"port" + std::to_string(link), name(0, link / level_[0].down), ""};
  std::uint32_t level = levels() - 2;
  while (link < level_[level].first_link) --level;
  const Level& l = level_[level];
  const std::uint32_t number = (link - l.first_link) / l.up, port = (link - l.first_link) % l.up;
  const std::uint32_t above =
      number / l.group / level_[level + 1].down * level_[level + 1].group + number % l.group + port * l.group;
  return {name(level, number), name(level + 1, above), std::to_string(port)};
}

std::string FatTree::channel_name(std::uint32_t channel) const {
  const Ends all = ends(channel);
  return all.below + (channel % 2 == 0 ? ".up" : ".down") + all.port;
}

std::uint32_t FatTreeParams::leaf_down() const {
  return static_cast<std::uint32_t>(std::lround(switch_ports * oversubscription / (1 + oversubscription)));
}

Places places(const FatTreeParams& params) {
  Places all = Places::by_number(FatTree(params).nodes());
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
      {"half_top",
       "top switches, too, have half their ports down, and the other half without a cable: with k ports down each, n "
       "levels connect k^n nodes (a k-ary n-tree)",
       Tuning::part},
      Param{"oversubscription",
            "ports of a leaf switch to nodes for each port up, as nearly as the number of ports allows; 1: the tree "
            "carries all traffic of its nodes",
            "0.01", "100"}
          .used_unless("levels", "1")
          .usually("1", "8"),
      Param{"routing",
            "the port by which a message goes up from a switch. d-mod-k: chosen by its destination; random: any; "
            "adaptive: the least loaded",
            Tuning::setting}
          .used_unless("levels", "1"),
      queues_param(),
      {"link_bandwidth", "bandwidth of each link in each direction", "1kB/s", "1TB/s", faster_network},
      {"switch_delay", "delay of a message's head in each switch", "0ns", "1ms", faster_network},
      {"cable_delay", "delay of a cable: 5 ns a metre", "0ns", "1ms", faster_network},
      {"switch_buffer",
       "credits: bytes of waiting messages that the input buffer of a switch takes for each of the two virtual "
       "channels of a link; while it is full, that virtual channel is closed",
       "0B", "1GiB"},
      input_fifo_param(),
      timing_variation_param(),
  };
}

void check(const FatTreeParams& params, const std::string& path, Problems& problems) {
  const std::uint32_t ports = params.switch_ports, down = params.leaf_down();
  if ((params.levels > 2 || params.half_top) && ports % 2 != 0)
    problems.add(json_path(path, "switch_ports"), "is ", ports, "; with ",
                 params.half_top ? "half_top" : "more than two levels of switches", " it must be even");
  if (params.levels > 1 && (down == 0 || down == ports)) {
    problems.add(json_path(path, "oversubscription"), "leaves no port of a leaf switch to nodes, or none up; with ",
                 ports, " switch_ports it must be from ", 1.0 / (ports - 1), " to ", ports - 1);
    return;
  }
  double nodes = params.half_top ? ports / 2 : ports;
  for (std::uint32_t level = 1; level < params.levels; ++level) nodes *= level == 1 ? down : ports / 2;
  if (nodes > 131072)
    problems.add(json_path(path, "levels"), "is ", params.levels,
                 ", which connects more than 131072 nodes by switches of ", ports, " ports; that is the most");
}

}  // namespace sunstar::network
