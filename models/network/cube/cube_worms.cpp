// SPDX-License-Identifier: MIT
#include "models/network/cube/cube_worms.h"

namespace sunstar::network {

CubeWorms::CubeWorms(Cube cube, Timing timing, const VcClassRule& rule)
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

WormCore::Path CubeWorms::known_path(std::uint32_t from, std::uint32_t to, std::uint64_t random) {
  const std::uint32_t dimensions = cube_.dimensions();
  const auto up = static_cast<std::uint32_t>(random) & ((1u << dimensions) - 1);
  const std::size_t place = (((std::size_t{from} * cube_.routers() + to) << dimensions) | up) % most_known;
  Known& known = known_[place];
  Hop* const begin = &hops_[place * path_.size()];
  if (known.hops == 0 || known.from != from || known.to != to || known.up != up)
    known = {from, to, up, static_cast<std::uint32_t>(new_path(begin, from, to, random, 0).size())};
  return {begin, known.hops};
}

WormCore::Path CubeWorms::new_path(Hop* begin, std::uint32_t from, std::uint32_t to, std::uint64_t random,
                                   std::uint32_t forced) const {
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

}  // namespace sunstar::network
