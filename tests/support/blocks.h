// SPDX-License-Identifier: MIT
#pragma once
#include <set>
#include <tuple>

#include "models/disk/geometry.h"
#include "tests/support/catch.h"

namespace sunstar::test {

/// Whether a block of the drive lies there.
inline bool holds_data(const disk::Geometry& g, const disk::Address& place) {
  for (disk::Lbn lbn = 0; lbn < g.sectors(); ++lbn)
    if (g.address(lbn) == place) return true;
  return false;
}

/// No two blocks of the drive lie at the same place.
inline void check_places_differ(const disk::Geometry& g) {
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> taken;
  for (disk::Lbn lbn = 0; lbn < g.sectors(); ++lbn) {
    const auto [track, sector] = g.address(lbn);
    REQUIRE(track.head < g.heads());
    REQUIRE(taken.insert({track.cylinder, track.head, sector}).second);
  }
}

}  // namespace sunstar::test
