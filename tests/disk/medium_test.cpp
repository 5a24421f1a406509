// SPDX-License-Identifier: MIT
#include "models/disk/medium.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

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
  CHECK(medium.allocated() < filled + 10'000);
  // Half of the blocks as before again, here and there.
  for (std::uint32_t p = 0; p < positions; ++p)
    if (order.block_at[p] < blocks / 2)
      medium.write(std::uint64_t{p} * block, content::Content(content::Piece{before, block, place_of(p)}));
  for (std::uint32_t p = 0; p < positions; ++p)
    right = right && read(p).pieces()[0] == expected(p, order.block_at[p] < blocks / 2 ? before : after);
  CHECK(right);
  CHECK(medium.allocated() < filled + 10'000);
  // Something else, where a block lies.
  const std::array<std::byte, 3> bytes{std::byte{1}, std::byte{2}, std::byte{3}};
  medium.write(5000, bytes);
  std::array<std::byte, 3> found{};
  medium.read(5000, found);
  CHECK(found == bytes);
}

TEST_CASE("a medium whose blocks lie in an order holds anything that is written") {
  constexpr std::uint32_t block = 512, positions = 60, size = block * positions + 700;
  content::Order order{block, block, 2 * block, std::vector<std::uint32_t>(positions, content::Order::none)};
  for (std::uint32_t p = 0; p < positions; ++p)
    if (p % 5 != 0) order.block_at[p] = positions - p;
  RandomStream random(2, "writes");
  disk::Medium medium(size);
  std::vector<std::byte> expected(size);
  const auto write = [&](std::uint64_t at, const content::Content& content) {
    medium.write(at, content);
    content.make_bytes(expected.data() + at);
  };
  const auto filled = [&](std::uint32_t bytes) {
    return content::Content(std::vector<std::byte>(bytes, static_cast<std::byte>(random.below(256))));
  };
  write(block * 5, filled(block));  // where the order has none
  const auto shared = std::make_shared<const content::Order>(order);
  medium.scatter(shared, content::source(content::Generated{0, 0}));
  content::make_bytes(
      {content::source(content::Scattered{content::source(content::Generated{0, 0}), shared}), 5 * block, 0},
      expected.data());
  for (std::uint32_t p = 6; p < positions; ++p)
    if (p % 5 != 0)
      content::make_bytes(
          {content::source(content::Generated{0, 0}), block, block + std::uint64_t{order.block_at[p]} * 2 * block},
          expected.data() + p * block);
  std::vector<std::byte> found(size);
  const auto same = [&] {
    medium.read(0, found);
    return found == expected;
  };
  REQUIRE(same());
  for (int i = 0; i < 5000; ++i) {
    const auto p = static_cast<std::uint32_t>(random.below(positions));
    const auto from = static_cast<std::uint32_t>(random.below(block));
    const auto bytes = static_cast<std::uint32_t>(1 + random.below(block - from));
    const auto file = content::source(content::Generated{0, static_cast<std::uint32_t>(random.below(3))});
    const std::uint64_t place = block + std::uint64_t{order.block_at[p]} * 2 * block;
    const bool ordered = order.block_at[p] != content::Order::none;
    switch (random.below(5)) {
      case 0: write(p * block + from, filled(bytes)); break;
      case 1: write(random.below(size - 3 * block), filled(3 * block)); break;
      case 2: write(random.below(size - block), content::Content(content::Piece{file, block, 7 * block})); break;
      case 3:
        if (ordered) write(p * block + from, content::Content(content::Piece{file, bytes, place + from}));
        break;
      default:
        if (ordered) write(p * block, content::Content(content::Piece{file, block, place}));
    }
    const auto at = static_cast<std::uint32_t>(random.below(size)),
               n = static_cast<std::uint32_t>(random.below(size - at));
    found.resize(n);
    medium.read(at, found);
    REQUIRE(std::ranges::equal(found, std::span(expected).subspan(at, n)));
    found.resize(size);
  }
  CHECK(same());
  std::vector<std::byte> visited(size);
  medium.for_each_written([&](std::uint64_t at, const content::Content& c) { c.make_bytes(visited.data() + at); });
  CHECK(visited == expected);
}
