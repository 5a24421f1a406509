// SPDX-License-Identifier: MIT
#include "models/disk/medium.h"

#include <algorithm>
#include <array>

#include "models/core/random.h"
#include "tests/support/catch.h"

using namespace sunstar;

TEST_CASE("blocks of a file that lie in some order are no descriptions of their own, and are read as what they are") {
  constexpr std::uint32_t block = 8192, blocks = 20'000, positions = 24'000;
  content::Order order{block, 3 * block, 16 * block, std::vector<std::uint32_t>(positions, content::Order::none)};
  for (std::uint32_t b = 0; b < blocks; ++b) order.block_at[b] = b;
  RandomStream random(1, "order");
  for (std::uint32_t p = positions; p-- > 1;) std::swap(order.block_at[p], order.block_at[random.below(p + 1)]);
  const auto place_of = [&](std::uint32_t p) { return 3 * block + std::uint64_t{order.block_at[p]} * 16 * block; };

  disk::Medium medium(std::uint64_t{block} * (positions + 10));
  const auto before = content::source(content::Generated{0, 0}), after = content::source(content::Generated{0, 1});
  medium.scatter(std::make_shared<const content::Order>(order), before);
  const std::uint64_t filled = medium.allocated();
  CHECK(filled < 100'000);
  const auto read = [&](std::uint32_t p) {
    content::Content found;
    medium.read(std::uint64_t{p} * block, block, found);
    return found;
  };
  const auto expected = [&](std::uint32_t p, content::Source of) {
    return order.block_at[p] == content::Order::none ? content::Piece{content::Source::zero, block, 0}
                                                     : content::Piece{of, block, place_of(p)};
  };
  bool right = true;
  for (std::uint32_t p = 0; p < positions; ++p) right = right && read(p).pieces()[0] == expected(p, before);
  CHECK(right);
  // Another version, in parts, in order of the disk.
  for (std::uint32_t p = 0; p < positions; ++p)
    if (order.block_at[p] != content::Order::none)
      for (std::uint32_t part = 0; part < block; part += 2048)
        medium.write(std::uint64_t{p} * block + part,
                     content::Content(content::Piece{after, 2048, place_of(p) + part}));
  for (std::uint32_t p = 0; p < positions; ++p) right = right && read(p).pieces()[0] == expected(p, after);
  CHECK(right);
  CHECK(medium.allocated() < filled + blocks * 8);  // an entry for each gap, and not for each block
  // Something else, where a block lies.
  const std::array<std::byte, 3> bytes{std::byte{1}, std::byte{2}, std::byte{3}};
  medium.write(5000, bytes);
  std::array<std::byte, 3> found{};
  medium.read(5000, found);
  CHECK(found == bytes);
}
