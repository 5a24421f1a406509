// SPDX-License-Identifier: MIT
#pragma once
#include "models/network/cube/cube.h"
#include "models/network/cube/vc_class_rule.h"
#include "models/network/worm/worm_core.h"

namespace sunstar::network {

/// Worms in a torus or mesh, whose paths go in dimension order.
class CubeWorms : public WormCore {
 public:
  explicit CubeWorms(Cube cube, Timing timing, const VcClassRule& rule = vc_class_rule("static"));

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

  Path known_path(std::uint32_t from, std::uint32_t to, std::uint64_t random);
  Path new_path(Hop* begin, std::uint32_t from, std::uint32_t to, std::uint64_t random, std::uint32_t forced) const;

  Cube cube_;
  const VcClassRule* rule_;
  bool classes_, static_classes_;
  std::vector<Hop> path_;     // as long as the longest path
  std::vector<Known> known_;  // a table of paths; empty if paths are long or depend on more than its index
  std::vector<Hop> hops_;     // the hops of known_
};

}  // namespace sunstar::network
