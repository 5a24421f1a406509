// SPDX-License-Identifier: MIT
#include "models/network/cube/cube_worms.h"

namespace sunstar::network {

CubeWorms::CubeWorms(Cube cube, Timing timing, const VcClassRule& rule)
    : WormCore(cube.channels(), timing), cube_(std::move(cube)), path_(cube_.longest_way() + 2) {
  use(rule);
}

void CubeWorms::use(const VcClassRule& rule) {
  rule_ = &rule;
  classes_ = rule.classes && cube_.topology() == Topology::torus;
  static_classes_ = classes_ && rule.choose == vc_class_rule("static").choose;
}

WormCore::Path CubeWorms::path(std::uint32_t from, std::uint32_t to, std::uint64_t random, std::uint32_t forced) {
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
  Visitor visitor{*this, path_.data(), random};
  cube_.route(from, to, {static_cast<std::uint32_t>(random), forced}, visitor);
  return {path_.data(), visitor.end};
}

}  // namespace sunstar::network
