// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/problems.h"
#include "models/network/places.h"
#include "models/network/worm/worm_core.h"

namespace sunstar::network {

/// The port by which a message goes up from a switch. `d_mod_k`: chosen by its destination, so that all messages to a
/// node meet in one switch at the top; `random`: any, with equal chances; `adaptive`: the least loaded, as far as the
/// switch knows.
BOOST_DEFINE_FIXED_ENUM_CLASS(UpRouting, std::uint8_t, d_mod_k, random, adaptive)

/// A fat tree of switches, as in clusters since InfiniBand; the default has HDR switches.
struct FatTreeParams {
  static constexpr std::string_view kind = "fat-tree";
  static constexpr std::string_view help = "a fat tree of switches, with static, random or adaptive routing";
  std::uint32_t switch_ports = 40;
  std::uint32_t levels = 2;
  bool half_top = false;
  double oversubscription = 1;
  UpRouting routing = UpRouting::adaptive;
  Queues queues = Queues::by_destination;
  Bandwidth link_bandwidth{25e9};
  Duration switch_delay = 130_ns;
  Duration cable_delay = 15_ns;
  Bytes switch_buffer = 32_KiB;
  std::uint32_t input_fifo = 4096;
  Duration timing_variation{};

  /// Ports of a leaf switch that lead to nodes.
  std::uint32_t leaf_down() const;
};
BOOST_DESCRIBE_STRUCT(FatTreeParams, (),
                      (switch_ports, levels, half_top, oversubscription, routing, queues, link_bandwidth, switch_delay,
                       cable_delay, switch_buffer, input_fifo, timing_variation))
std::vector<Param> parameters(const FatTreeParams*);
void check(const FatTreeParams& params, const std::string& path, Problems& problems);

std::unique_ptr<Fabric> make(const FatTreeParams&, const sc_core::sc_module_name&, std::uint64_t seed, Timetable*);
Places places(const FatTreeParams& params);
Pace pace(const FatTreeParams& params);

/// A fat tree of `levels` levels of switches with `radix` ports each. A leaf switch has `leaf_down` ports down, to
/// nodes, and the rest up; switches above the leaves have half their ports down and half up, switches at the top all
/// down, or half with `half_top`. Any two switches that face each other have one link. (If leaf_down is half the ports,
/// Petrini and Vanneschi's k-ary n-tree with `half_top`, else a folded Clos network; Zahavi's PGFT if not.)
///
/// Switches of a level are numbered group by group: a group is all switches of the level that reach the same nodes
/// below. The switch `w` of a group reaches by its port up `p` the switch w + p W of its group above, where W is the
/// size of its own group.
class FatTree {
 public:
  FatTree(std::uint32_t radix, std::uint32_t levels, std::uint32_t leaf_down, bool half_top = false);
  explicit FatTree(const FatTreeParams& params);

  std::uint32_t nodes() const { return nodes_; }
  std::uint32_t levels() const { return static_cast<std::uint32_t>(level_.size()); }
  std::uint32_t switches(std::uint32_t level) const { return groups(level) * level_[level].group; }
  /// Each link has two channels, one for each direction: first the links of nodes, then the links up from leaf
  /// switches, and so on.
  std::uint32_t channels() const { return channels_; }
  std::uint32_t injection(std::uint32_t node) const { return 2 * node; }
  std::uint32_t ejection(std::uint32_t node) const { return 2 * node + 1; }

  /// The level, from 0, of the lowest switches that reach both nodes.
  std::uint32_t turn(std::uint32_t from, std::uint32_t to) const;
  /// Switches on the way between two nodes: up to the turn and down again.
  std::uint32_t switches_between(std::uint32_t from, std::uint32_t to) const { return 2 * turn(from, to) + 1; }

  /// The channels by which a head may go up from a switch: `ports` of them, `first`, first + 2, ...
  struct Up {
    std::uint32_t first, ports;
    std::uint32_t by_destination;  ///< the port of D-mod-K routing (Zahavi, 2010): all messages to a node meet at one
                                   ///< top switch
    std::uint32_t channel(std::uint32_t port) const { return first + 2 * port; }
  };
  /// The ports by which the switch `w` of `from`'s group sends messages to `to`.
  Up ports_up(std::uint32_t level, std::uint32_t from, std::uint32_t to, std::uint32_t w) const;
  /// The switch of the next level to which a port up leads.
  std::uint32_t above(std::uint32_t level, std::uint32_t w, std::uint32_t port) const {
    return w + port * level_[level].group;
  }
  /// Fills `path` with the way from one node to another; `choose(Up)` returns the port by which it goes up from each
  /// switch. The way down follows from that.
  template <class Choose>
  void path(std::uint32_t from, std::uint32_t to, std::vector<WormCore::Hop>& path, Choose choose) const {
    path.assign(1, {injection(from), 0, 0});
    const std::uint32_t top = turn(from, to);
    std::uint32_t w = 0;
    for (std::uint32_t level = 0; level < top; ++level) {
      const Up up = ports_up(level, from, to, w);
      const std::uint32_t port = choose(up);
      path.push_back({up.channel(port), port_of_node(level, from)});
      w = above(level, w, port);
    }
    descend(top, w, from, to, path);
  }

  /// A link's ends, by either of its channels: the names of both, and the port up of the lower switch. Switches are
  /// "leaf3", "level1_0", "level2_0".
  struct Ends {
    std::string below, above, port;
  };
  Ends ends(std::uint32_t channel) const;
  /// "port7.up" from a node, "port7.down" to it; "leaf3.up1" from a switch by its port up 1, "leaf3.down1" the other
  /// way.
  std::string channel_name(std::uint32_t channel) const;

 private:
  struct Level {
    std::uint32_t down, up;    // ports of a switch
    std::uint32_t below;       // nodes that a group reaches
    std::uint32_t group;       // switches of a group
    std::uint32_t first_link;  // of the links up
  };
  std::uint32_t groups(std::uint32_t level) const { return nodes_ / level_[level].below; }
  /// The link at the port up of the switch `w` in the group that reaches the node.
  std::uint32_t link(std::uint32_t level, std::uint32_t node, std::uint32_t w, std::uint32_t port) const {
    const Level& l = level_[level];
    return l.first_link + (node / l.below * l.group + w) * l.up + port;
  }
  /// The port down by which the switches of a level reach the node.
  std::uint8_t port_of_node(std::uint32_t level, std::uint32_t node) const {
    return static_cast<std::uint8_t>((level == 0 ? node : node / level_[level - 1].below) % level_[level].down);
  }
  void descend(std::uint32_t top, std::uint32_t w, std::uint32_t from, std::uint32_t to,
               std::vector<WormCore::Hop>& path) const;

  std::vector<Level> level_;
  std::uint32_t nodes_, channels_;
};

}  // namespace sunstar::network
