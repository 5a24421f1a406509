// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "models/network/cube/cube.h"
#include "models/network/cube/vc_class_rule.h"
#include "models/network/worm/worm_core.h"

namespace sunstar::network {

/// Worms in a torus or mesh, whose paths go in dimension order.
class CubeWorms : public WormCore {
 public:
  explicit CubeWorms(Cube cube, Timing timing, const VcClassRule& rule = vc_class_rule("static"));
  /// Before the first worm.
  void use(const VcClassRule& rule);

  /// The path of a worm, until the next call. `random`: bit d decides ties in dimension d, bit 32 + d is the coin of
  /// the class rule. `forced`: see Cube::Directions.
  Path path(std::uint32_t from, std::uint32_t to, std::uint64_t random = 0, std::uint32_t forced = 0);
  Passage inject(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Time when, std::uint64_t random = 0,
                 std::uint32_t forced = 0) {
    return WormCore::inject(path(from, to, random, forced), bytes, when);
  }
  using WormCore::inject;

  const Cube& cube() const { return cube_; }

 private:
  Cube cube_;
  const VcClassRule* rule_;
  bool classes_, static_classes_;
  std::vector<Hop> path_;  // as long as the longest
};

}  // namespace sunstar::network
