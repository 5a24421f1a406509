// SPDX-License-Identifier: MIT
#include "models/network/cube/cube.h"

#include <set>

#include "models/network/places.h"
#include "tests/support/catch.h"

using namespace sunstar;
using network::Cube;

namespace {

using Channels = std::vector<std::uint32_t>;

Channels route(const Cube& cube, std::uint32_t from, std::uint32_t to, std::uint32_t tie = 0) {
  Channels channels;
  cube.route(from, to, tie, [&](std::uint32_t c) { channels.push_back(c); });
  return channels;
}

/// The same coordinates, as the parameters of a network have them.
network::Places places_of(const Cube& cube) { return {cube.shape(), "", "", ""}; }

/// Where a link leads, found by trying all of them.
struct Link {
  std::uint32_t from, to, dimension;
  bool up;
};
Link link_of(const Cube& cube, std::uint32_t channel) {
  for (std::uint32_t r = 0; r < cube.routers(); ++r)
    for (std::uint32_t d = 0; d < cube.dimensions(); ++d)
      for (bool up : {false, true})
        if (cube.link(r, d, up) == channel) {
          const auto places = places_of(cube);
          auto place = places.coordinates(r);
          place[d] = (place[d] + (up ? 1 : cube.shape()[d] - 1)) % cube.shape()[d];
          return {r, places.port_at(place).value(), d, up};
        }
  FAIL("channel " << channel << " is no link");
  return {};
}

}  // namespace

TEST_CASE("routers are numbered with the first coordinate running fastest") {
  const Cube cube({2, 3, 4});
  CHECK(cube.routers() == 24);
  const auto coordinates = [&](std::uint32_t r) {
    return Channels{cube.coordinate(r, 0), cube.coordinate(r, 1), cube.coordinate(r, 2)};
  };
  CHECK(coordinates(0) == Channels{0, 0, 0});
  CHECK(coordinates(1) == Channels{1, 0, 0});
  CHECK(coordinates(2) == Channels{0, 1, 0});
  CHECK(coordinates(23) == Channels{1, 2, 3});
  for (std::uint32_t r = 0; r < 24; ++r) CHECK(places_of(cube).coordinates(r) == coordinates(r));
}

TEST_CASE("every channel of a torus has a number of its own") {
  // Injection, ejection and two links a dimension: 24 routers with 8 channels each.
  const Cube cube({2, 3, 4});
  std::set<std::uint32_t> all;
  for (std::uint32_t r = 0; r < cube.routers(); ++r) {
    all.insert({cube.injection(r), cube.ejection(r)});
    for (std::uint32_t d = 0; d < 3; ++d) all.insert({cube.link(r, d, true), cube.link(r, d, false)});
  }
  CHECK(all.size() == 24 * 8);
  CHECK(cube.channels() == 24 * 8);
  CHECK(*all.rbegin() == 24 * 8 - 1);
}

TEST_CASE("distances take the shorter way round in every dimension") {
  const Cube six({6, 6});
  const auto between = [&](const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    const auto places = places_of(six);
    return six.distance(places.port_at(a).value(), places.port_at(b).value());
  };
  CHECK(between({0, 0}, {0, 0}) == 0);
  CHECK(between({0, 0}, {2, 0}) == 2);
  CHECK(between({0, 0}, {3, 0}) == 3);
  CHECK(between({0, 0}, {4, 0}) == 2);
  CHECK(between({0, 0}, {5, 5}) == 2);
  CHECK(between({1, 4}, {4, 1}) == 6);  // the farthest apart
  CHECK(Cube({7}).distance(0, 4) == 3);
  CHECK(Cube({2, 3, 4}).distance(0, 23) == 3);  // one step round in each
  CHECK(Cube({1, 1}).distance(0, 0) == 0);
}

TEST_CASE("a route is injection, the links of a shortest path in dimension order, and ejection") {
  for (const auto& shape : {Channels{1}, Channels{2}, Channels{7}, Channels{8}, Channels{6, 6}, Channels{1, 5},
                            Channels{2, 3, 4}, Channels{4, 4, 2}}) {
    const Cube cube(shape);
    for (std::uint32_t from = 0; from < cube.routers(); ++from)
      for (std::uint32_t to = 0; to < cube.routers(); ++to)
        for (std::uint32_t tie : {0u, 1u, ~0u}) {
          const Channels channels = route(cube, from, to, tie);
          REQUIRE(channels.size() == cube.distance(from, to) + 2);
          REQUIRE(channels.front() == cube.injection(from));
          REQUIRE(channels.back() == cube.ejection(to));
          std::uint32_t here = from, dimension = 0;
          for (std::size_t i = 1; i + 1 < channels.size(); ++i) {
            const Link link = link_of(cube, channels[i]);
            REQUIRE(link.from == here);
            REQUIRE(link.dimension >= dimension);
            here = link.to;
            dimension = link.dimension;
          }
          REQUIRE(here == to);
        }
  }
}

TEST_CASE("where both ways round are equally short, the tie bits decide, one for each dimension") {
  // From (0,0) to (3,3) of a 6x6: three steps in each dimension, up or down. Router (x,y) is x + 6 y.
  const Cube cube({6, 6});
  const auto links = [&](std::uint32_t tie) {
    Channels c = route(cube, 0, 21, tie);
    return Channels(c.begin() + 1, c.end() - 1);
  };
  const auto l = [&](std::uint32_t router, std::uint32_t d, bool up) { return cube.link(router, d, up); };
  CHECK(links(0b11) ==
        Channels{l(0, 0, true), l(1, 0, true), l(2, 0, true), l(3, 1, true), l(9, 1, true), l(15, 1, true)});
  CHECK(links(0b00) ==
        Channels{l(0, 0, false), l(5, 0, false), l(4, 0, false), l(3, 1, false), l(33, 1, false), l(27, 1, false)});
  CHECK(links(0b01) ==
        Channels{l(0, 0, true), l(1, 0, true), l(2, 0, true), l(3, 1, false), l(33, 1, false), l(27, 1, false)});
  // No tie in an odd ring or at another distance: the bit changes nothing.
  CHECK(route(cube, 0, 2, 0) == route(cube, 0, 2, 1));
  CHECK(route(Cube({5}), 0, 3, 0) == route(Cube({5}), 0, 3, 1));
}

TEST_CASE("the two links between the routers of a ring of two are different") {
  const Cube cube({2});
  CHECK(route(cube, 0, 1, 1) == Channels{cube.injection(0), cube.link(0, 0, true), cube.ejection(1)});
  CHECK(route(cube, 0, 1, 0) == Channels{cube.injection(0), cube.link(0, 0, false), cube.ejection(1)});
}

TEST_CASE("a mesh has no wrap-around links, and its routes go straight") {
  // 4x3: 3 x 3 links each way in dimension 0, 4 x 2 each way in dimension 1.
  const Cube mesh({4, 3}, network::Topology::mesh);
  std::uint32_t links = 0;
  for (std::uint32_t c = 0; c < mesh.channels(); ++c) links += mesh.is_link(c);
  CHECK(links == 2 * (3 * 3 + 4 * 2));
  CHECK(mesh.distance(0, 11) == 3 + 2);
  CHECK_FALSE(mesh.has_link(0, 0, false));
  CHECK(mesh.neighbour(0, 0, true) == 1);
  CHECK(Cube({4, 3}).neighbour(0, 0, false) == 3);
  for (std::uint32_t from = 0; from < 12; ++from)
    for (std::uint32_t to = 0; to < 12; ++to) {
      const Channels channels = route(mesh, from, to, 3);
      REQUIRE(channels.size() == mesh.distance(from, to) + 2);
      std::uint32_t here = from;
      for (std::size_t i = 1; i + 1 < channels.size(); ++i) {
        REQUIRE(mesh.is_link(channels[i]));
        const auto step = mesh.next_step(here, to, 3);
        REQUIRE(channels[i] == mesh.link(here, step.dimension, step.up));
        here = mesh.neighbour(here, step.dimension, step.up);
      }
      REQUIRE(here == to);
      REQUIRE(mesh.next_step(here, to, 0).dimension == 2);
    }
  CHECK(mesh.distance(0, 11) == 5);
}
