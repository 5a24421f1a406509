// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace sunstar::network {

/// Whether the rows of routers form rings or end at both sides.
BOOST_DEFINE_ENUM_CLASS(Topology, torus, mesh)

/// Whether a network of that shape can be built: one to most_routers routers.
inline constexpr std::uint64_t most_routers = 131072;
inline bool buildable(const std::vector<std::uint32_t>& shape) {
  std::uint64_t routers = shape.empty() ? 0 : 1;
  for (std::uint32_t k : shape) routers = routers > most_routers ? routers : routers * k;
  return routers > 0 && routers <= most_routers;
}

/// A k-ary n-cube: any number of dimensions, any number of routers in each; a torus has wrap-around links, a mesh has
/// none.
///
/// Every router has one output channel for each dimension and direction, and one injection and one ejection channel
/// for its node. Channels are numbered so that models can keep their state in one array.
class Cube {
 public:
  explicit Cube(std::vector<std::uint32_t> shape, Topology topology = Topology::torus);

  Topology topology() const { return topology_; }

  std::uint32_t routers() const { return routers_; }
  std::uint32_t dimensions() const { return static_cast<std::uint32_t>(shape_.size()); }
  const std::vector<std::uint32_t>& shape() const { return shape_; }

  std::uint32_t coordinate(std::uint32_t router, std::uint32_t dimension) const {
    return coordinate_[router * dimensions() + dimension];
  }

  std::uint32_t channels() const { return routers_ * channels_per_router_; }
  std::uint32_t router_of(std::uint32_t channel) const { return channel / channels_per_router_; }
  std::uint32_t injection(std::uint32_t router) const { return router * channels_per_router_; }
  std::uint32_t ejection(std::uint32_t router) const { return router * channels_per_router_ + 1; }
  /// Output channel of `router` in `dimension`; `up` leads to the next higher coordinate.
  std::uint32_t link(std::uint32_t router, std::uint32_t dimension, bool up) const {
    return router * channels_per_router_ + 2 + 2 * dimension + (up ? 0 : 1);
  }

  /// Whether the link exists: not at the edge of a mesh, and not in a row of one.
  bool has_link(std::uint32_t router, std::uint32_t dimension, bool up) const;
  /// The router to which the link leads; the router itself if there is no such link.
  std::uint32_t neighbour(std::uint32_t router, std::uint32_t dimension, bool up) const;
  /// The same by the link's channel.
  std::uint32_t end_of(std::uint32_t link) const {
    const std::uint32_t kind = link % channels_per_router_ - 2;
    return neighbour(router_of(link), kind / 2, kind % 2 == 0);
  }
  /// Whether the channel is an existing link, not an injection or ejection channel or a number without a link.
  bool is_link(std::uint32_t channel) const;

  /// The channel's name: "router7.injection", "router7.ejection", "router7.up0" for the link up in dimension 0,
  /// "router7.down0".
  std::string channel_name(std::uint32_t channel) const;

  /// Number of links on a shortest path between two routers.
  std::uint32_t distance(std::uint32_t from, std::uint32_t to) const;
  /// Links on the longest route if directions are forced.
  std::uint32_t longest_way() const;

  /// The direction round the rings, one bit for each dimension. Where both ways are equally short, `up` decides; where
  /// `forced` is set, `up` decides whichever way is shorter.
  struct Directions {
    std::uint32_t up = 0, forced = 0;
    Directions(std::uint32_t ties = 0, std::uint32_t force = 0) : up(ties), forced(force) {}
  };

  /// One step of the route below.
  struct Step {
    std::uint32_t dimension;  ///< dimensions() at the destination
    bool up;
  };
  Step next_step(std::uint32_t here, std::uint32_t to, Directions directions) const {
    for (std::uint32_t d = 0; d < dimensions(); ++d)
      if (const std::uint32_t a = coordinate(here, d), b = coordinate(to, d); a != b)
        return {d, way(d, a, b, directions).up};
    return {dimensions(), false};
  }

  /// A link of a route, in its ring or row.
  struct RouteLink {
    std::uint32_t dimension;
    std::uint32_t here, there;  ///< coordinates in this dimension of the sending router and of the destination
    bool up, entering;          ///< entering: the route's first link in this dimension
  };
  /// Dimension-order routing, minimal where no direction is forced: calls `visit(channel)` for the injection channel,
  /// every link and the ejection channel, or `visit(channel, RouteLink)` for the links if `visit` accepts that.
  template <class Visit>
  void route(std::uint32_t from, std::uint32_t to, Directions directions, Visit&& visit) const {
    visit(injection(from));
    std::uint32_t first = injection(from);  // channel of the router the head is at
    for (std::uint32_t d = 0; d < dimensions(); ++d) {
      const std::uint32_t k = shape_[d];
      std::uint32_t here = coordinate_[from * dimensions() + d];
      const std::uint32_t there = coordinate_[to * dimensions() + d];
      if (here == there) continue;
      const auto [up, distance] = way(d, here, there, directions);
      // `on` leads to the next router, `round` from the last back to the first; unsigned numbers wrap round to count
      // down.
      const std::uint32_t on = stride_[d] * channels_per_router_, round = on * (k - 1);
      const std::uint32_t last = up ? k - 1 : 0;
      for (std::uint32_t hops = distance; hops > 0; --hops) {
        const std::uint32_t channel = first + 2 + 2 * d + (up ? 0 : 1);
        if constexpr (std::is_invocable_v<Visit, std::uint32_t, const RouteLink&>)
          visit(channel, RouteLink{d, here, there, up, hops == distance});
        else visit(channel);
        const bool wraps = here == last;
        const std::uint32_t step = wraps ? round : on;
        first += up == wraps ? 0 - step : step;
        here = wraps ? k - 1 - last : up ? here + 1 : here - 1;
      }
    }
    visit(ejection(to));
  }

 private:
  struct Way {
    bool up;
    std::uint32_t hops;
  };
  Way way(std::uint32_t dimension, std::uint32_t here, std::uint32_t there, Directions directions) const {
    if (topology_ == Topology::mesh) return there > here ? Way{true, there - here} : Way{false, here - there};
    const std::uint32_t k = shape_[dimension];
    const std::uint32_t up_hops = there > here ? there - here : there + k - here;
    const std::uint32_t down_hops = k - up_hops;
    const bool either = up_hops == down_hops || (directions.forced >> dimension & 1);
    const bool up = either ? directions.up >> dimension & 1 : up_hops < down_hops;
    return {up, up ? up_hops : down_hops};
  }

  std::vector<std::uint32_t> shape_;
  Topology topology_;
  std::vector<std::uint32_t> stride_;
  std::vector<std::uint32_t>
      coordinate_;  // by router, then dimension: a table, because computing one coordinate takes two divisions
  std::uint32_t routers_ = 1;
  std::uint32_t channels_per_router_;
};

/// The way of a message, dimension by dimension, round links that are down. If a link on its way in a ring is down it
/// goes round the other way; on a mesh, or if both ways are broken, it has no way: the order of dimensions is fixed.
/// `ties`: as Cube::route() takes them. A link to or from a router that is down counts as down.
///
/// Packets cannot wait for one another in a circle, on a torus only under the rule `dateline` (vc_class_rule.h), which
/// CubeNetwork::unsafe_detours() asks for: a packet goes less than once round a ring, and crosses the dateline at
/// most once. Rules that choose a class on entering a ring rely on ways of at most half the ring.
std::optional<Cube::Directions> detour(const Cube& cube, std::uint32_t from, std::uint32_t to, std::uint32_t ties,
                                       const std::function<bool(std::uint32_t link)>& down);

}  // namespace sunstar::network
