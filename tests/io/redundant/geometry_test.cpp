// SPDX-License-Identifier: MIT
// Where the sectors of arrays lie, against tables worked out by hand and against what every layout must keep.
#include "sw/io/store/redundant/geometry.h"

#include <map>
#include <numeric>
#include <set>

#include "tests/support/catch.h"

using namespace sunstar::io::redundant;

namespace {

/// The rows of a table as lists of the disks of their members.
std::vector<std::vector<std::uint32_t>> disks_of(const Geometry& g) {
  std::vector<std::vector<std::uint32_t>> rows;
  for (std::uint32_t r = 0; r < g.table_rows(); ++r) {
    rows.emplace_back();
    for (std::uint32_t m = 0; m < g.members(); ++m) rows.back().push_back(g.disk_of({r, m}));
  }
  return rows;
}
using Rows = std::vector<std::vector<std::uint32_t>>;

std::vector<Geometry> all_kinds() {
  std::vector<Geometry> all{Geometry::striped(1, 8), Geometry::striped(5, 4), Geometry::mirrored(6, 2, 3),
                            Geometry::mirrored(6, 3, 1), Geometry::parity_disk(4, 2)};
  for (auto r :
       {Rotation::left_symmetric, Rotation::left_asymmetric, Rotation::right_symmetric, Rotation::right_asymmetric})
    for (std::uint32_t checks : {1u, 2u}) all.push_back(Geometry::rotated(6, checks, r, 5));
  all.push_back(Geometry::declustered(5, 4, 2));
  all.push_back(Geometry::declustered(7, 3, 2));
  all.push_back(Geometry::declustered(13, 4, 2));
  return all;
}

}  // namespace

TEST_CASE("rotated parity lies where the four layouts say") {
  // Each row: data units 0, 1, 2, then parity.
  using enum Rotation;
  CHECK(disks_of(Geometry::rotated(4, 1, left_symmetric, 1)) ==
        Rows{{0, 1, 2, 3}, {3, 0, 1, 2}, {2, 3, 0, 1}, {1, 2, 3, 0}});
  CHECK(disks_of(Geometry::rotated(4, 1, left_asymmetric, 1)) ==
        Rows{{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}});
  CHECK(disks_of(Geometry::rotated(4, 1, right_symmetric, 1)) ==
        Rows{{1, 2, 3, 0}, {2, 3, 0, 1}, {3, 0, 1, 2}, {0, 1, 2, 3}});
  CHECK(disks_of(Geometry::rotated(4, 1, right_asymmetric, 1)) ==
        Rows{{1, 2, 3, 0}, {0, 2, 3, 1}, {0, 1, 3, 2}, {0, 1, 2, 3}});
  // With Q on the disk after P: data units 0 and 1, P, Q.
  CHECK(disks_of(Geometry::rotated(4, 2, left_symmetric, 1)) ==
        Rows{{1, 2, 3, 0}, {0, 1, 2, 3}, {3, 0, 1, 2}, {2, 3, 0, 1}});
}

TEST_CASE("mirrors, parity disks and stripes lie where they should") {
  CHECK(disks_of(Geometry::mirrored(6, 2, 1)) == Rows{{0, 3}, {1, 4}, {2, 5}});
  CHECK(disks_of(Geometry::parity_disk(3, 1)) == Rows{{0, 1, 2}});
  const Geometry stripes = Geometry::striped(3, 8);
  // Sector 8 * 7 + 5 is in unit 7: the second of row 2.
  CHECK(stripes.member_of(61) == Member{2, 1});
  CHECK(stripes.at({2, 1}, 5, 3) == Extent{1, 21, 3});
}

TEST_CASE("left-symmetric parity over nine disks has the closed form") {
  const Geometry g = Geometry::rotated(9, 1, Rotation::left_symmetric, 64);
  for (std::uint64_t unit = 0; unit < 500; ++unit) {
    const std::uint64_t row = unit / 8, parity = 8 - row % 9;
    const Member m = g.member_of(unit * 64 + 7);
    CHECK(m.row == row);
    CHECK(g.at(m, 7, 1) == Extent{static_cast<std::uint32_t>((parity + 1 + unit % 8) % 9), row * 64 + 7, 1});
    CHECK(g.at({row, 8}, 0, 64) == Extent{static_cast<std::uint32_t>(parity), row * 64, 64});
  }
}

TEST_CASE("every unit of every layout has one place, and every place of a row its own disk") {
  for (const Geometry& g : all_kinds()) {
    INFO(g.disks() << " disks, " << g.data() << " + " << g.checks());
    const std::uint64_t disk_sectors = std::uint64_t{g.unit_sectors()} * g.table_depth() * 2;
    CHECK(g.rows(disk_sectors) == 2 * g.table_rows());
    std::set<std::pair<std::uint32_t, std::uint64_t>> taken;
    for (std::uint64_t r = 0; r < g.rows(disk_sectors); ++r) {
      std::set<std::uint32_t> disks;
      for (std::uint32_t m = 0; m < g.members(); ++m) {
        const Extent e = g.at({r, m}, 0, g.unit_sectors());
        disks.insert(e.disk);
        CHECK(e.disk < g.disks());
        CHECK(e.sector + e.sectors <= disk_sectors);
        CHECK(taken.insert({e.disk, e.sector}).second);
        CHECK(g.member_at(e.disk, e.sector + g.unit_sectors() - 1) == Member{r, m});
        if (m < g.data()) CHECK(g.member_of((r * g.data() + m) * g.unit_sectors()) == Member{r, m});
      }
      CHECK(disks.size() == g.members());
    }
    // No unit of any disk is left over.
    CHECK(taken.size() == std::size_t{g.disks()} * g.table_depth() * 2);
  }
}

TEST_CASE("a table that does not fit any more is used as far as whole rows go") {
  const Geometry g = Geometry::rotated(9, 1, Rotation::left_symmetric, 64);
  CHECK(g.rows(2056008) == 32125);  // 2056008 / 64, which nine does not divide
  CHECK(g.sectors(2056008) == std::uint64_t{32125} * 8 * 64);
  CHECK(g.rows(63) == 0);
  // 7 tuples of 3 of 7 disks, 3 times, go 9 units down each disk; the first tuples need only one.
  const Geometry d = Geometry::declustered(7, 3, 1);
  CHECK(d.table_rows() == 21);
  CHECK(d.table_depth() == 9);
  CHECK(d.rows(9) == 21);
  for (std::uint64_t sectors = 0; sectors < 20; ++sectors)
    for (std::uint64_t r = 0; r < d.rows(sectors); ++r)
      for (std::uint32_t m = 0; m < 3; ++m) CHECK(d.at({r, m}, 0, 1).sector < sectors);
}

TEST_CASE("declustered parity burdens all disks alike") {
  for (auto [disks, group] : {std::pair{5u, 4u},
                              {7u, 3u},
                              {7u, 4u},
                              {11u, 5u},
                              {11u, 6u},
                              {13u, 4u},
                              {15u, 7u},
                              {19u, 9u},
                              {21u, 5u},
                              {31u, 6u},
                              {37u, 9u},
                              {57u, 8u},
                              {6u, 3u},
                              {4u, 4u}}) {
    INFO(group << " of " << disks);
    const Geometry g = Geometry::declustered(disks, group, 1);
    std::map<std::uint32_t, std::uint32_t> parities;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> shared;
    for (const auto& row : disks_of(g)) {
      ++parities[row.back()];
      for (std::uint32_t a : row)
        for (std::uint32_t b : row)
          if (a < b) ++shared[{a, b}];
    }
    CHECK(parities.size() == disks);
    CHECK(shared.size() == disks * (disks - 1) / 2);
    for (const auto& [disk, n] : parities) CHECK(n == parities[0]);
    for (const auto& [pair, n] : shared) CHECK(n == shared.begin()->second);
  }
  CHECK_FALSE(has_block_design(40, 20));
  CHECK_FALSE(has_block_design(4, 5));
  CHECK(block_design(40, 20).empty());
}
