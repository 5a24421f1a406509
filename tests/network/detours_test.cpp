// SPDX-License-Identifier: MIT
#include "models/network/cube/cube.h"

#include <algorithm>
#include <set>
#include <vector>

#include "models/core/random.h"
#include "tests/support/catch.h"
#include "tests/support/flits.h"

using namespace sunstar;
using network::Cube;
using network::FlitCore;
using network::Topology;
using test::FlitRig;

namespace {

using Links = std::set<std::uint32_t>;

/// The links of the route, which must lead to `to` step by step.
std::vector<std::uint32_t> links_of_way(const Cube& cube, std::uint32_t from, std::uint32_t to,
                                        Cube::Directions directions) {
  std::vector<std::uint32_t> links;
  cube.route(from, to, directions, [&](std::uint32_t c) { links.push_back(c); });
  links.erase(links.begin());
  links.pop_back();
  for (const std::uint32_t link : links) {
    const auto step = cube.next_step(from, to, directions);
    REQUIRE(cube.is_link(link));
    REQUIRE(link == cube.link(from, step.dimension, step.up));
    REQUIRE(cube.end_of(link) == cube.neighbour(from, step.dimension, step.up));
    from = cube.end_of(link);
  }
  REQUIRE(from == to);
  REQUIRE(links.size() <= cube.longest_way());
  return links;
}

bool clear(const std::vector<std::uint32_t>& links, const Links& down) {
  return std::ranges::none_of(links, [&](std::uint32_t link) { return down.contains(link); });
}

/// Some links, or all of some router.
Links draw_down(const Cube& cube, RandomStream& random) {
  Links down;
  for (std::uint64_t n = random.below(4); n > 0; --n)
    down.insert(static_cast<std::uint32_t>(random.below(cube.channels())));
  if (random.below(2)) {
    const auto router = static_cast<std::uint32_t>(random.below(cube.routers()));
    for (std::uint32_t c = 0; c < cube.channels(); ++c)
      if (cube.is_link(c) && (cube.router_of(c) == router || cube.end_of(c) == router)) down.insert(c);
  }
  return down;
}

}  // namespace

TEST_CASE("a detour avoids links that are down and leads to its end, or there is no way in dimension order") {
  RandomStream random(1, "detours");
  for (const auto topology : {Topology::torus, Topology::mesh})
    for (const auto& shape : {std::vector<std::uint32_t>{2}, {8}, {4, 4}, {3, 5}, {2, 1, 3}, {2, 3, 4}}) {
      const Cube cube(shape, topology);
      for (int round = 0; round < 40; ++round) {
        const Links down = draw_down(cube, random);
        for (std::uint32_t from = 0; from < cube.routers(); ++from)
          for (std::uint32_t to = 0; to < cube.routers(); ++to) {
            const auto ties = static_cast<std::uint32_t>(random.next());
            const auto way = detour(cube, from, to, ties, [&](std::uint32_t link) { return down.contains(link); });
            if (clear(links_of_way(cube, from, to, ties), down)) {
              REQUIRE(way);
              REQUIRE(way->forced == 0);
            }
            if (way) REQUIRE(clear(links_of_way(cube, from, to, *way), down));
            // All ways in dimension order; on a mesh there is one.
            const std::uint32_t all = topology == Topology::mesh ? 1 : 1u << cube.dimensions();
            bool any = false;
            for (std::uint32_t up = 0; up < all; ++up) any |= clear(links_of_way(cube, from, to, {up, ~0u}), down);
            REQUIRE(way.has_value() == any);
          }
      }
    }
}

namespace {

/// Long packets for 5000 cycles in a ring of eight whose link down from 2 is down: packets over it go the long way up.
bool ring_deadlocks(const char* rule) {
  const Cube cube({8});
  FlitRig rig(cube, test::router(1, 2, rule));
  const std::uint32_t down = cube.link(2, 0, false);
  RandomStream random(1, "ring");
  while (rig.core.now() < 5000 && !rig.core.deadlocked()) {
    for (std::uint32_t from = 0; from < 8; ++from) {
      if (rig.core.queued(from) > 0) continue;
      const auto to = static_cast<std::uint32_t>(random.below(8));
      const auto way = detour(cube, from, to, 1, [=](std::uint32_t link) { return link == down; });
      REQUIRE(way);
      rig.send(from, to, 50, way->up, way->forced);
    }
    rig.step();
  }
  rig.run();
  CHECK(consistent(rig.core));
  return rig.core.deadlocked();
}

}  // namespace

TEST_CASE("detours under full load: rules that count on short ways deadlock, dateline does not") {
  CHECK(ring_deadlocks("static"));
  CHECK_FALSE(ring_deadlocks("dateline"));
}

TEST_CASE("under full load with links down every packet of a torus arrives") {
  const Cube cube({5, 4});
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    FlitRig rig(cube, test::router(2, 2, "dateline"));
    RandomStream random(seed, "detours under load");
    const Links down = draw_down(cube, random);
    std::uint64_t sent = 0;
    while (rig.core.now() < 3000) {
      for (std::uint32_t from = 0; from < cube.routers(); ++from) {
        if (rig.core.queued(from) > 0) continue;
        const auto to = static_cast<std::uint32_t>(random.below(cube.routers()));
        const auto ties = static_cast<std::uint32_t>(random.next());
        const auto way = detour(cube, from, to, ties, [&](std::uint32_t link) { return down.contains(link); });
        if (!way) continue;
        rig.send(from, to, 20, way->up, way->forced);
        ++sent;
      }
      rig.step();
    }
    rig.run();
    CHECK_FALSE(rig.core.deadlocked());
    CHECK(rig.order.size() == sent);
    CHECK(rig.twice == 0);
  }
}
