// SPDX-License-Identifier: MIT
#include "models/network/dragonfly/dragonfly.h"

namespace sunstar::network {

Dragonfly::Dragonfly(const DragonflyParams& params)
    : groups_(params.groups),
      routers_(params.routers),
      nodes_(params.nodes),
      globals_(params.global_links),
      copies_(groups_ > 1 ? routers_ * globals_ / (groups_ - 1) : 0),
      links_(routers_ - 1 + globals_),
      vcs_(static_cast<std::uint8_t>(params.virtual_channels)),
      ugal_(params.routing == DragonflyRouting::ugal) {}

Dragonfly::Kind Dragonfly::kind(std::uint32_t channel) const {
  if (channel < 2 * nodes()) return Kind::node;
  const std::uint32_t router = (channel - 2 * nodes()) / links_, link = channel - first(router);
  if (link < routers_ - 1) return Kind::local;
  return router % routers_ * globals_ + link - (routers_ - 1) < copies_ * (groups_ - 1) ? Kind::global : Kind::none;
}

std::pair<std::uint32_t, std::uint32_t> Dragonfly::ends(std::uint32_t channel) const {
  if (channel < 2 * nodes()) return {router_of(channel / 2), router_of(channel / 2)};
  const std::uint32_t router = (channel - 2 * nodes()) / links_, link = channel - first(router);
  const std::uint32_t group = group_of(router), place = router % routers_;
  if (link < routers_ - 1) return {router, group * routers_ + link + (link >= place)};
  const std::uint32_t there = place * globals_ + link - (routers_ - 1), other = peer(group, there);
  const std::uint32_t back = there / (groups_ - 1) * (groups_ - 1) + group - (group > other);
  return {router, other * routers_ + back / globals_};
}

std::string Dragonfly::name(std::uint32_t channel) const {
  if (channel < 2 * nodes()) return "port" + std::to_string(channel / 2) + (channel % 2 == 0 ? ".up" : ".down");
  const auto [router, to] = ends(channel);
  const std::string from = "router" + std::to_string(router);
  if (kind(channel) == Kind::local) return from + ".local" + std::to_string(to % routers_);
  return from + ".global" + std::to_string(channel - first(router) - (routers_ - 1));
}

void Dragonfly::local(Head& head, std::uint32_t to, std::uint8_t vc, std::vector<Hop>& path) const {
  const std::uint32_t here = head.router % routers_, there = to % routers_;
  path.push_back({first(head.router) + there - (there > here), head.input, vc});
  head = {to, static_cast<std::uint8_t>(nodes_ + here - (here > there))};
}

// Goes to a router, over one global link if it is in another group.
void Dragonfly::go(Head& head, std::uint32_t to, std::uint16_t copy, Classes classes, std::vector<Hop>& path) const {
  const std::uint32_t group = group_of(head.router), other = group_of(to);
  if (group != other) {
    const std::uint32_t link = copy * (groups_ - 1) + other - (other > group);
    const std::uint32_t exit = group * routers_ + link / globals_;
    if (head.router != exit) local(head, exit, classes.before, path);
    const std::uint32_t back = copy * (groups_ - 1) + group - (group > other);
    path.push_back({first(exit) + routers_ - 1 + link % globals_, head.input, classes.global});
    head = {other * routers_ + back / globals_, static_cast<std::uint8_t>(nodes_ + routers_ - 1 + back % globals_)};
  }
  if (head.router != to) local(head, to, classes.after, path);
}

void Dragonfly::path(std::uint32_t from, std::uint32_t to, const Way& way, std::vector<Hop>& path) const {
  path.assign(1, {injection(from), 0, 0});
  Head head{router_of(from), static_cast<std::uint8_t>(from % nodes_)};
  const std::uint32_t last = router_of(to);
  const auto before = static_cast<std::uint8_t>(vcs_ - 2), behind = static_cast<std::uint8_t>(vcs_ - 1);
  if (way.over != Way::straight)
    go(head, way.over, way.before, {0, 0, static_cast<std::uint8_t>(vcs_ == 4 ? 1 : 0)}, path);
  const bool leaves = group_of(head.router) != group_of(last);
  const std::uint8_t vc = leaves || (ugal_ && way.over == Way::straight) ? behind : before;
  go(head, last, way.after, {before, behind, vc}, path);
  path.push_back({ejection(to), head.input, vc});
}

Places places(const DragonflyParams& params) {
  Places all = Places::by_number(Dragonfly(params).nodes());
  all.size = "groups";
  all.ports_per_router = params.nodes;
  all.ports_per_group = params.nodes * params.routers;
  return all;
}

// The buffers on the longest way hold most of one node's messages, beside those on the cables.
Pace pace(const DragonflyParams& params) {
  const double cables = 2 * seconds(params.global_cable) * params.link_bandwidth.bytes_per_second;
  return Pace::by_bytes(params.link_bandwidth,
                        2 * 6 * params.router_buffer.count + 4 * static_cast<std::uint64_t>(cables));
}

std::vector<Param> parameters(const DragonflyParams*) {
  return {
      {"groups", "groups of routers; any two have a global link", "1", "1024", Tuning::part},
      {"routers", "routers of a group; any two have a local link", "1", "128", Tuning::part},
      {"nodes", "nodes of a router", "1", "126", Tuning::part},
      {"global_links",
       "links of a router to other groups; together a group's must reach every other one, and what is left when they "
       "are divided evenly has no cable",
       "1", "126", Tuning::part},
      {"routing",
       "minimal: to another group by the global link between the two; ugal: that way or one over a random router, by "
       "the bytes for which the router of the node waits for credits",
       Tuning::setting},
      Param{"ugal_threshold",
            "bytes by which the minimal way's queue must exceed twice the other's for a message to take that", "0B",
            "1GiB", Tuning::setting}
          .used_if("routing", {"ugal"}),
      {"virtual_channels",
       "virtual channels of a link that messages use by their place on the way: minimal routing needs 2; ugal, and "
       "ways round what is down, need 4 so that messages cannot wait for one another in a circle (3: as BookSim2)",
       "2", "4", Tuning::part},
      queues_param(),
      {"link_bandwidth", "bandwidth of the links of nodes and of local links, in each direction", "1kB/s", "1TB/s",
       faster_network},
      {"global_bandwidth", "bandwidth of a global link in each direction, at most link_bandwidth", "1kB/s", "1TB/s",
       faster_network},
      {"router_delay", "delay of a message's head in each router", "0ns", "1ms", faster_network},
      {"node_cable", "delay of a node's cable: 5 ns a metre", "0ns", "1ms", faster_network},
      {"local_cable", "delay of a local link's cable: 5 ns a metre", "0ns", "1ms", faster_network},
      {"global_cable", "delay of a global link's cable: 5 ns a metre", "0ns", "1ms", faster_network},
      {"router_buffer",
       "bytes of messages that the input buffer of a router takes for each virtual channel; while it is full, that "
       "virtual channel is closed",
       "0B", "1GiB"},
      input_fifo_param(),
      timing_variation_param(),
  };
}

void check(const DragonflyParams& params, const std::string& path, Problems& problems) {
  const std::uint64_t globals = std::uint64_t{params.routers} * params.global_links;
  if (globals + 1 < params.groups)
    problems.add(json_path(path, "groups"), "is ", params.groups, "; the ", globals, " global links of a group reach ",
                 globals, " others, so it must be at most ", globals + 1);
  if (const std::uint32_t ports = params.nodes + params.routers - 1 + params.global_links; ports > 128)
    problems.add(json_path(path, "routers"), "is ", params.routers, ", with which a router has ", ports,
                 " ports; 128 is the most");
  if (const std::uint64_t all = std::uint64_t{params.groups} * params.routers * params.nodes; all > 131072)
    problems.add(json_path(path, "groups"), "is ", params.groups, ", which makes ", all, " nodes; 131072 is the most");
  if (params.routing == DragonflyRouting::ugal && params.virtual_channels < 3)
    problems.add(json_path(path, "virtual_channels"), "is 2; ugal needs 4 (or 3, as in BookSim2)");
  if (params.global_bandwidth.bytes_per_second > params.link_bandwidth.bytes_per_second)
    problems.add(json_path(path, "global_bandwidth"), "is larger than link_bandwidth, which is the most");
}

}  // namespace sunstar::network
