// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/problems.h"
#include "models/network/places.h"
#include "models/network/worm/worm_core.h"

namespace sunstar::network {

/// The way of a message to another group. `minimal`: over the global link between the two groups; `ugal`: that way or
/// one over a random router of any group, as the queues of the router of its node suggest.
BOOST_DEFINE_FIXED_ENUM_CLASS(DragonflyRouting, std::uint8_t, minimal, ugal)

/// A dragonfly; the default has 288 nodes on links and routers of Slingshot.
struct DragonflyParams {
  static constexpr std::string_view kind = "dragonfly";
  static constexpr std::string_view help = "groups of routers with local links, and global links between the groups";
  std::uint32_t groups = 9;
  std::uint32_t routers = 8;
  std::uint32_t nodes = 4;
  std::uint32_t global_links = 4;
  DragonflyRouting routing = DragonflyRouting::ugal;
  Bytes ugal_threshold = 4_KiB;
  std::uint32_t virtual_channels = 4;
  Queues queues = Queues::by_destination;
  Bandwidth link_bandwidth{25e9}, global_bandwidth{25e9};
  Duration router_delay = 350_ns;
  Duration node_cable = 10_ns, local_cable = 10_ns, global_cable = 100_ns;
  Bytes router_buffer = 32_KiB;
  std::uint32_t input_fifo = 4096;
  Duration timing_variation{};
};
BOOST_DESCRIBE_STRUCT(DragonflyParams, (),
                      (groups, routers, nodes, global_links, routing, ugal_threshold, virtual_channels, queues,
                       link_bandwidth, global_bandwidth, router_delay, node_cable, local_cable, global_cable,
                       router_buffer, input_fifo, timing_variation))
std::vector<Param> parameters(const DragonflyParams*);
void check(const DragonflyParams& params, const std::string& path, Problems& problems);

std::unique_ptr<Fabric> make(const DragonflyParams&, const sc_core::sc_module_name&, std::uint64_t seed, Timetable*);
Places places(const DragonflyParams& params);
Pace pace(const DragonflyParams& params);

/// A dragonfly (Kim, Dally, Scott and Abts, 2008). Each of the `groups` has `routers`, any two of which have a local
/// link; each router has `nodes` and `global_links`. Global link j of a group leads to the (j mod (groups - 1))th of
/// the other groups, from router j / global_links; what does not go round is left without a cable. So any two groups
/// have copies() links.
///
/// Virtual channels, of which V are used, keep messages from waiting for one another in a circle: on its way to another
/// group a message takes V - 2 before the global link and V - 1 from there on. On its way to the router over which it
/// goes first, it takes 0 before and on the global link, and 1 behind it, if V is 4. With fewer, as in BookSim2, it
/// takes 0 there as well, which can deadlock.
class Dragonfly {
 public:
  using Hop = WormCore::Hop;
  explicit Dragonfly(const DragonflyParams& params);

  std::uint32_t groups() const { return groups_; }
  std::uint32_t routers() const { return groups_ * routers_; }
  std::uint32_t nodes() const { return routers() * nodes_; }
  /// Links between two groups.
  std::uint32_t copies() const { return copies_; }
  std::uint32_t router_of(std::uint32_t node) const { return node / nodes_; }
  std::uint32_t group_of(std::uint32_t router) const { return router / routers_; }

  /// Channels: from and to each node, and then each router's, first to the other routers of its group.
  std::uint32_t channels() const { return 2 * nodes() + routers() * links_; }
  std::uint32_t injection(std::uint32_t node) const { return 2 * node; }
  std::uint32_t ejection(std::uint32_t node) const { return 2 * node + 1; }
  enum class Kind : std::uint8_t { node, local, global, none };
  Kind kind(std::uint32_t channel) const;
  /// The routers at both ends; a node's is at both.
  std::pair<std::uint32_t, std::uint32_t> ends(std::uint32_t channel) const;
  /// "port7.up" from a node, "port7.down" to it; "router3.local5" to the sixth router of the group, "router3.global1".
  std::string name(std::uint32_t channel) const;

  /// A way between two nodes: over another router or straight, and which copy of global links it takes before and after
  /// that router (straight: after).
  struct Way {
    static constexpr std::uint32_t straight = ~std::uint32_t{0};
    std::uint32_t over = straight;
    std::uint16_t before = 0, after = 0;
  };
  /// Fills `path` with the way. It is at most twelve hops long, with those from and to the nodes.
  void path(std::uint32_t from, std::uint32_t to, const Way& way, std::vector<Hop>& path) const;

 private:
  struct Head {
    std::uint32_t router;
    std::uint8_t input;
  };
  struct Classes {
    std::uint8_t before, global, after;
  };
  std::uint32_t first(std::uint32_t router) const { return 2 * nodes() + router * links_; }
  void go(Head& head, std::uint32_t to, std::uint16_t copy, Classes classes, std::vector<Hop>& path) const;
  void local(Head& head, std::uint32_t to, std::uint8_t vc, std::vector<Hop>& path) const;
  std::uint32_t peer(std::uint32_t group, std::uint32_t link) const {
    const std::uint32_t other = link % (groups_ - 1);
    return other + (other >= group);
  }

  std::uint32_t groups_, routers_, nodes_, globals_, copies_, links_;
  std::uint8_t vcs_;
  bool ugal_;
};

}  // namespace sunstar::network
