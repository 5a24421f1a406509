// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sunstar::network {

/// A head that is about to take a link of a ring.
struct RingStep {
  std::uint32_t here, there;  ///< places in the ring of the router, and of the router where the packet leaves the ring
  std::uint32_t routers;      ///< in the ring
  bool up;                    ///< direction round the ring
  bool entering;              ///< the first link of this ring
  std::uint32_t before;       ///< class on the link before, unless entering
  bool coin;                  ///< a random bit of the packet, its own for each dimension
};

/// How packets choose between a ring's two classes of virtual channels, so that they cannot wait for one another in a
/// circle. Class 0 has the lower half of the virtual channels and class 1 the upper half; of an odd number both have
/// the middle one, which is safe if each class also has a virtual channel of its own.
struct VcClassRule {
  std::string_view name;
  bool classes;  ///< false: every packet may use every virtual channel, as it always may on a mesh
  std::uint32_t (*choose)(const RingStep&);  ///< 0 or 1
};

/// The rule called `name`, one of vc_class_rules().
const VcClassRule& vc_class_rule(std::string_view name);
std::vector<std::string> vc_class_rules();

}  // namespace sunstar::network
