// SPDX-License-Identifier: MIT
#include <algorithm>

#include "platforms/network/pattern.h"
#include "tests/support/catch.h"
#include "tests/support/flits.h"

// Full load on small machines: nothing stands still for ever, nothing is lost, no node starves.

using namespace sunstar;
using network::Cube;
using network::FlitCore;
using network::Topology;
using test::FlitRig;
using test::router;

namespace {

struct Load {
  Cube cube;
  network::RouterParams params;
  std::string pattern;
  std::uint32_t least_flits, most_flits;
};

/// Every node always has a packet to send for `cycles` cycles; then all of it arrives. Returns flits delivered in these
/// cycles from each node.
std::vector<std::uint64_t> full_load(const Load& load, FlitCore::Cycle cycles, std::uint64_t seed) {
  FlitRig rig(load.cube, load.params);
  RandomStream random(seed, "stress");
  const auto& pattern = traffic::pattern(load.pattern);
  const traffic::Pattern::Params params{load.cube.shape(), 3, 0.3};
  std::uint64_t sent = 0;
  while (rig.core.now() < cycles) {
    for (std::uint32_t r = 0; r < load.cube.routers(); ++r)
      if (rig.core.queued(r) == 0) {
        const auto flits =
            static_cast<std::uint32_t>(load.least_flits + random.below(load.most_flits - load.least_flits + 1));
        rig.send(r, pattern.destination(r, params, random), flits, random.next());
        sent += flits;
      }
    rig.step();
    if (rig.core.now() % 256 == 0) REQUIRE(consistent(rig.core));
    REQUIRE_FALSE(rig.core.deadlocked());
  }
  std::vector<std::uint64_t> from(load.cube.routers());
  for (const auto& p : rig.packets)
    if (p.arrived != FlitCore::never) from[p.from] += p.flits;
  rig.run();
  CHECK_FALSE(rig.core.deadlocked());
  CHECK(consistent(rig.core));
  CHECK(rig.twice == 0);
  CHECK(rig.core.flits_waiting() == 0);
  CHECK(rig.core.flits_delivered() == sent);
  CHECK(std::ranges::none_of(rig.packets, [](const auto& p) { return p.arrived == FlitCore::never; }));
  for (const auto& p : rig.packets) REQUIRE(p.hops == load.cube.distance(p.from, p.to));
  return from;
}

std::uint64_t least(const std::vector<std::uint64_t>& from) { return *std::ranges::min_element(from); }

}  // namespace

TEST_CASE("under full load every pattern keeps moving, with buffers of one and two flits and long packets") {
  const std::string pattern = GENERATE("uniform", "transpose", "complement", "tornado", "neighbour", "hotspot");
  const char* rule = GENERATE("dateline", "static", "balanced");
  for (const std::uint32_t buffer : {1u, 2u, 8u})
    for (const auto& [least_flits, most_flits] : {std::pair{1u, 1u}, std::pair{1u, 9u}, std::pair{100u, 100u}}) {
      INFO(pattern << ", " << rule << ", buffers of " << buffer << ", packets of " << least_flits << " to "
                   << most_flits);
      const auto from = full_load({Cube({4, 4}), router(buffer, 2, rule), pattern, least_flits, most_flits}, 3000, 1);
      CHECK(least(from) > 0);
    }
}

TEST_CASE("other shapes, more virtual channels and every pipeline keep moving under full load") {
  for (const std::uint32_t vcs : {2u, 3u, 4u})
    for (const std::uint32_t delay : {0u, 2u})
      for (const bool speculative : {false, true})
        for (const bool tail_credit : {false, true}) {
          INFO(vcs << " virtual channels, delay " << delay << (speculative ? ", speculative" : "")
                   << (tail_credit ? ", tail credit" : ""));
          auto params = router(2, vcs, "balanced");
          params.routing_delay = delay;
          params.vc_allocation_delay = params.switch_allocation_delay = 1 + delay;
          params.link_delay = 1 + delay;
          params.speculative = speculative;
          params.wait_for_tail_credit = tail_credit;
          full_load({Cube({3, 2, 4}), params, "uniform", 1, 12}, 1500, 2);
          full_load({Cube({5, 3}, Topology::mesh), params, "complement", 1, 12}, 1500, 3);
        }
}

TEST_CASE("no node starves while others send through its router") {
  // A row of 8 whose nodes all send to the last one, as fast as they can: round-robin at each router halves the share
  // of those behind, so the first of 7 gets a 64th; but it does get it.
  FlitRig rig(Cube({8}, Topology::mesh), router(4));
  std::vector<std::uint64_t> got(8);
  for (int cycle = 0; cycle < 20000; ++cycle) {
    for (std::uint32_t r = 0; r < 7; ++r)
      if (rig.core.queued(r) == 0) rig.send(r, 7, 4);
    rig.step();
  }
  for (const auto& p : rig.packets)
    if (p.arrived != FlitCore::never) got[p.from] += p.flits;
  for (std::uint32_t r = 0; r < 7; ++r) CHECK(got[r] > 20000 / 64 / 2);
}

TEST_CASE("one-flit packets between long ones arrive in the order of their nodes") {
  // Static classes and one destination: packets of a node cannot pass one another on a ring, but may at the ends, which
  // have two virtual channels; so only arrival of all is asked for, and that short ones wait for no more than the two
  // before them.
  FlitRig rig(Cube({6, 6}), router(2));
  for (int i = 0; i < 50; ++i)
    for (std::uint32_t r = 1; r < 36; ++r) {
      rig.send(r, 0, 30);
      rig.send(r, 0, 1);
    }
  rig.run();
  CHECK(rig.order.size() == 50 * 35 * 2);
  CHECK(consistent(rig.core));
}

TEST_CASE("the same packets give the same cycles") {
  const auto run = [] {
    FlitRig rig(Cube({4, 4}), router(4, 2, "balanced"));
    RandomStream random(7, "same");
    for (int i = 0; i < 500; ++i)
      rig.send(static_cast<std::uint32_t>(random.below(16)), static_cast<std::uint32_t>(random.below(16)),
               1 + static_cast<std::uint32_t>(random.below(20)), random.next());
    rig.run();
    std::vector<FlitCore::Cycle> arrived;
    for (const auto& p : rig.packets) arrived.push_back(p.arrived);
    return arrived;
  };
  CHECK(run() == run());
}
