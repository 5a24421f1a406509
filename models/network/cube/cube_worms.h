// SPDX-License-Identifier: MIT
#pragma once
#include "models/network/cube/cube.h"
#include "models/network/cube/vc_class_rule.h"
#include "models/network/worm/worm_core.h"

namespace sunstar::network {

/// Worms in a torus or mesh, whose paths go in dimension order.
class CubeWorms : public WormCore {
 public:
  explicit CubeWorms(Cube cube, Timing timing, const VcClassRule& rule = vc_class_rule("static"))
      : WormCore(cube.channels(), timing),
        cube_(std::move(cube)),
        rule_(&rule),
        classes_(rule.classes && cube_.topology() == Topology::torus),
        static_classes_(classes_ && rule.choose == vc_class_rule("static").choose),
        path_(cube_.longest_way() + 2) {
    const bool know = cube_.dimensions() <= 4 && path_.size() <= longest_known && (static_classes_ || !classes_);
    known_.assign(know ? most_known : 0, {});
    hops_.resize(known_.size() * path_.size());
  }

  /// The path of a worm, until the next call. `random`: bit d decides ties in dimension d, bit 32 + d is the coin of
  /// the class rule. `forced`: see Cube::Directions.
  Path path(std::uint32_t from, std::uint32_t to, std::uint64_t random = 0, std::uint32_t forced = 0) {
    if (known_.empty() || forced != 0) return new_path(path_.data(), from, to, random, forced);
    return known_path(from, to, random);
  }
  Passage inject(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Time when, std::uint64_t random = 0,
                 std::uint32_t forced = 0) {
    return WormCore::inject(path(from, to, random, forced), bytes, when);
  }
  using WormCore::inject;

  const Cube& cube() const { return cube_; }

 private:
  /// A path that has been worked out, which takes a third as long as reserving it.
  struct Known {
    std::uint32_t from = 0, to = 0;
    std::uint32_t up = 0;    // bit d: which way round dimension d, if both are equally short
    std::uint32_t hops = 0;  // 0: none yet
  };
  static constexpr std::uint32_t most_known = 8192, longest_known = 32;

  Path known_path(std::uint32_t from, std::uint32_t to, std::uint64_t random) {
    const std::uint32_t dimensions = cube_.dimensions();
    const auto up = static_cast<std::uint32_t>(random) & ((1u << dimensions) - 1);
    const std::size_t place = (((std::size_t{from} * cube_.routers() + to) << dimensions) | up) % most_known;
    Known& known = known_[place];
    Hop* const begin = &hops_[place * path_.size()];
    if (known.hops == 0 || known.from != from || known.to != to || known.up != up)
      known = {from, to, up, static_cast<std::uint32_t>(new_path(begin, from, to, random, 0).size())};
    return {begin, known.hops};
  }

  Path new_path(Hop* begin, std::uint32_t from, std::uint32_t to, std::uint64_t random, std::uint32_t forced) const {
    struct Visitor {
      const CubeWorms& worms;
      Hop* const begin;
      std::uint64_t random;
      Hop* end = begin;
      std::uint32_t vc = 0;
      std::uint8_t input = 0;  // the router's ports by dimension, up before down, the node's last
      void operator()(std::uint32_t channel) {
        const bool leaves = end == begin;
        *end++ = {channel, input, leaves ? std::uint8_t{0} : Hop::any};
        if (leaves) input = static_cast<std::uint8_t>(2 * worms.cube_.dimensions());
      }
      void operator()(std::uint32_t channel, const Cube::RouteLink& link) {
        if (worms.static_classes_)  // the default, without a call
          vc = link.entering ? link.there < link.here : vc;
        else if (worms.classes_)
          vc = worms.rule_->choose({link.here, link.there, worms.cube_.shape()[link.dimension], link.up, link.entering,
                                    vc, (random >> (32 + link.dimension) & 1) != 0});
        *end++ = {channel, input, worms.classes_ ? static_cast<std::uint8_t>(vc) : Hop::any};
        input = static_cast<std::uint8_t>(2 * link.dimension + (link.up ? 0 : 1));
      }
    };
    Visitor visitor{*this, begin, random};
    cube_.route(from, to, {static_cast<std::uint32_t>(random), forced}, visitor);
    return {begin, visitor.end};
  }

  Cube cube_;
  const VcClassRule* rule_;
  bool classes_, static_classes_;
  std::vector<Hop> path_;     // as long as the longest path
  std::vector<Known> known_;  // a table of paths; empty if paths are long or depend on more than its index
  std::vector<Hop> hops_;     // the hops of known_
};

}  // namespace sunstar::network
