// SPDX-License-Identifier: MIT
#include "sw/io/layouts/layout.h"

#include <algorithm>
#include <set>

#include "models/core/error.h"
#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::io;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {

constexpr DiskShape hp97560{1962ull * 19 * 72, 512, 72};  // 2 684 016 sectors

BlockAddresses place(const char* policy, DiskSpace& space, std::uint64_t blocks, std::uint64_t seed = 1) {
  RandomStream random(seed, "layout");
  return place_blocks(layout_policy(policy), {blocks, 8192, 0, "data"}, space, random);
}

using Sectors = std::vector<std::uint64_t>;

Sectors sectors_of(const BlockAddresses& addresses) {
  Sectors sectors;
  for (std::uint64_t b = 0; b < addresses.size(); ++b) sectors.push_back(addresses[b]);
  return sectors;
}

}  // namespace

TEST_CASE("contiguous files begin at the start and follow one another") {
  DiskSpace space(hp97560);
  RandomStream random(1, "layout");
  const auto& contiguous = layout_policy("contiguous");
  CHECK(sectors_of(place_blocks(contiguous, {3, 8192, 1000}, space, random)) == Sectors{1000, 1016, 1032});
  CHECK(sectors_of(place_blocks(contiguous, {2, 8192, 1000}, space, random)) == Sectors{1048, 1064});
  CHECK(sectors_of(place_blocks(contiguous, {1, 8192, 0}, space, random)) == Sectors{0});
  // From 990 there are only 10 sectors to the first file, so a block goes behind the second.
  CHECK(sectors_of(place_blocks(contiguous, {1, 8192, 990}, space, random)) == Sectors{1080});
}

TEST_CASE("random blocks are block-aligned, distinct and spread over the whole disk") {
  DiskSpace space(hp97560);
  const auto addresses = sectors_of(place("random-blocks", space, 1000));
  const std::set<std::uint64_t> distinct(addresses.begin(), addresses.end());
  CHECK(distinct.size() == 1000);
  double mean = 0;
  for (std::uint64_t a : addresses) {
    CHECK(a % 16 == 0);
    CHECK(a + 16 <= hp97560.sectors);
    mean += static_cast<double>(a) / 1000;
  }
  // Uniform: the mean of 1000 is half the disk, with a standard deviation of 1/sqrt(12 * 1000) = 0.9 % of the disk.
  CHECK(mean == Approx(hp97560.sectors / 2.0).margin(0.04 * hp97560.sectors));
  CHECK_FALSE(std::is_sorted(addresses.begin(), addresses.end()));

  DiskSpace again(hp97560), other(hp97560);
  CHECK(sectors_of(place("random-blocks", again, 1000)) == addresses);
  CHECK(sectors_of(place("random-blocks", other, 1000, 2)) != addresses);
}

TEST_CASE("random tracks hold four consecutive blocks of 8 KiB from the first sector of each track") {
  DiskSpace space(hp97560);
  const auto addresses = place("random-tracks", space, 10);
  REQUIRE(addresses.size() == 10);
  for (std::size_t i = 0; i < 10; ++i) {
    if (i % 4 == 0) CHECK(addresses[i] % 72 == 0);
    else CHECK(addresses[i] == addresses[i - 1] + 16);
  }
  CHECK(std::set<std::uint64_t>{addresses[0], addresses[4], addresses[8]}.size() == 3);
}

TEST_CASE("files never overlap on a disk under any layout, even when it is filled to the last block") {
  const DiskShape small{7200, 512, 72};  // 100 tracks, 450 blocks of 8 KiB
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    DiskSpace space(small);
    std::vector<std::uint64_t> all;
    for (const auto& [policy, blocks] : {std::pair{"random-tracks", 100}, {"random-blocks", 50}, {"contiguous", 3}}) {
      const auto addresses = sectors_of(place(policy, space, blocks, seed));
      all.insert(all.end(), addresses.begin(), addresses.end());
    }
    std::sort(all.begin(), all.end());
    for (std::size_t i = 1; i < all.size(); ++i) REQUIRE(all[i - 1] + 16 <= all[i]);
    REQUIRE(space.free_sectors() == 7200 - 153 * 16);
  }
  DiskSpace space(small), tracks(small);
  CHECK(place("random-blocks", space, 450).size() == 450);
  CHECK(space.free_sectors() == 0);
  CHECK(place("random-tracks", tracks, 400).size() == 400);
}

TEST_CASE("a file that does not fit is refused in a sentence with file, disk and sizes") {
  const DiskShape small{7200, 512, 72};
  for (const std::string& name : layout_names()) {
    INFO(name);
    DiskSpace space(small, "iop0.disk1");
    CHECK_THROWS_WITH(
        place(name.c_str(), space, 451),
        ContainsSubstring("\"data\" does not fit on disk \"iop0.disk1\": it needs 451 blocks of 8192 bytes") &&
            ContainsSubstring(" of 7200 sectors"));
  }
  DiskSpace space(small);
  CHECK_THROWS_AS(place("random-tracks", space, 401), ConfigError);
  DiskSpace short_tracks({7200, 512, 15});
  CHECK_THROWS_WITH(place("random-tracks", short_tracks, 1), ContainsSubstring("a track has only 15 sectors"));
  DiskSpace odd({7200, 520, 72});
  CHECK_THROWS_WITH(place("contiguous", odd, 1), ContainsSubstring("multiple of the disk's sector size, 520 bytes"));
  CHECK_THROWS_AS(DiskSpace(DiskShape{0, 512, 72}), ConfigError);
  CHECK_THROWS_WITH(layout_policy("random-block"),
                    StartsWith("There is no layout \"random-block\"; it must be contiguous, ") &&
                        EndsWith("; did you mean \"random-blocks\"?"));
}

TEST_CASE("free space is found between and behind the taken ranges") {
  DiskSpace space({100, 512, 10});
  space.take(10, 10);
  space.take(30, 10);
  CHECK(space.find(0, 10) == 0);
  CHECK(space.find(5, 10) == 20);
  CHECK(space.find(5, 11) == 40);
  CHECK(space.find(0, 11, 8) == 40);
  CHECK(space.find(0, 61) == 100);
  CHECK(space.is_free(20, 10));
  CHECK_FALSE(space.is_free(19, 2));
  CHECK_FALSE(space.is_free(29, 2));
  CHECK_FALSE(space.is_free(95, 6));
  space.take(20, 10);
  CHECK(space.find(10, 1) == 40);
  CHECK(space.free_sectors() == 70);
}
