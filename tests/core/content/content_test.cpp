// SPDX-License-Identifier: MIT
// Content by description against plain bytes: the same operations leave the same bytes.
#include "models/core/content/content.h"

#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "models/core/content/content_map.h"
#include "tests/support/catch.h"

namespace sunstar::content {
namespace {

using Plain = std::vector<std::byte>;

Plain plain(const Content& c) {
  Plain bytes(c.size());
  c.make_bytes(bytes.data());
  return bytes;
}

// Fails with what RapidCheck found, in words.
template <class Property>
void holds(Property property) {
  rc::detail::TestParams params;
  params.seed = 1;
  params.maxSuccess = 4000;
  const auto result = rc::detail::checkTestable(property, rc::detail::TestMetadata(), params);
  std::ostringstream words;
  rc::detail::printResultMessage(result, words);
  INFO(words.str());
  CHECK(result.template is<rc::detail::SuccessResult>());
}

std::uint32_t below(std::uint32_t n) { return *rc::gen::inRange<std::uint32_t>(0, n); }

/// Blocks of 8 bytes of a file, every second of them, in some order with gaps.
const std::shared_ptr<const Order>& order() {
  static const auto all = std::make_shared<const Order>(
      Order{8, 4, 16, {5, Order::none, 0, 1, 2, Order::none, Order::none, 7, 3, 4, 6, 9, 8, 12, 10, 11}});
  return all;
}

Source file(std::uint32_t number) { return source(Generated{number, 1}); }

/// Something of each kind. Places and sizes are few and even, so that pieces often touch, overlap and repeat.
Content any_content() {
  const std::uint32_t bytes = 4 * (1 + below(6)) - (below(8) == 0);
  const std::uint64_t place = 4 * below(12);
  switch (below(7)) {
    case 0: return Content(Piece{Source::zero, bytes, 0});
    case 1: return Content(Piece{file(below(2)), bytes, place});
    case 2: return Content(Piece{file(0), 8, place * 2});
    case 3: return Content(Piece{source(Records{file(0), 8, 16, 4}), bytes, place});
    case 4: return Content(Piece{source(Scattered{file(0), order()}), bytes, place});
    case 5: return corrupted(Content(Piece{file(0), bytes, place}));
    default: {
      Plain literal(bytes);
      fill(9, 0, place, std::span(literal));
      return Content(literal);
    }
  }
}

struct Below final : ByteStore {
  Plain bytes;
  explicit Below(std::size_t n) : bytes(n) {}
  void read_bytes(std::uint64_t at, std::uint32_t n, Content& to) const override {
    to.append(std::span<const std::byte>(bytes).subspan(at, n));
  }
  void write_bytes(std::uint64_t at, std::span<const std::byte> from) override {
    std::ranges::copy(from, bytes.begin() + static_cast<std::ptrdiff_t>(at));
  }
};

Content all_of(const ContentMap& map, std::uint32_t bytes) {
  Content all;
  map.read(0, bytes, all);
  return all;
}

}  // namespace

TEST_CASE("joined and sliced content has the bytes that joined and sliced bytes have") {
  holds([] {
    Content joined;
    Plain bytes;
    for (std::uint32_t i = below(12); i-- > 0;) {
      const Content next = any_content();
      const std::uint32_t from = below(next.size()), some = below(next.size() - from + 1);
      joined.append(next, from, some);
      const Plain of_next = plain(next);
      bytes.insert(bytes.end(), of_next.begin() + from, of_next.begin() + from + some);
    }
    RC_ASSERT(plain(joined) == bytes);
    const std::uint32_t from = below(joined.size() + 1), some = below(joined.size() - from + 1);
    RC_ASSERT(plain(joined.slice(from, some)) == Plain(bytes.begin() + from, bytes.begin() + from + some));
  });
}

TEST_CASE("contents differ where their bytes do") {
  holds([] {
    const Content a = any_content(), b = any_content();
    const std::uint32_t n = std::min(a.size(), b.size());
    const Plain of_a = plain(a.slice(0, n)), of_b = plain(b.slice(0, n));
    const auto wrong = first_difference(a.slice(0, n), b.slice(0, n));
    const auto expected = std::mismatch(of_a.begin(), of_a.end(), of_b.begin()).first - of_a.begin();
    RC_ASSERT(wrong.value_or(n) == static_cast<std::uint32_t>(expected));
  });
}

TEST_CASE("an exclusive-or has the exclusive-or's bytes, and a second one takes the first back") {
  holds([] {
    Content a, b;
    while (a.size() < 60) a.append(any_content());
    while (b.size() < a.size()) b.append(any_content());
    b = b.slice(0, a.size());
    const Content both = exclusive_or(a, b);
    Plain expected = plain(a);
    std::ranges::transform(expected, plain(b), expected.begin(), [](std::byte x, std::byte y) { return x ^ y; });
    RC_ASSERT(plain(both) == expected);
    RC_ASSERT(!first_difference(exclusive_or(both, b), a));
  });
}

TEST_CASE("a map of content holds what a memory of bytes would") {
  holds([] {
    constexpr std::uint32_t size = 600;
    Below store(size);
    ContentMap map(store);
    Plain memory(size);
    for (std::uint32_t i = below(60); i-- > 0;) {
      const std::uint32_t at = below(size - 40);
      if (const std::uint32_t action = below(12); action == 0) {
        map.make_bytes(at, 40);
        RC_ASSERT(std::equal(memory.begin() + at, memory.begin() + at + 40, store.bytes.begin() + at));
      } else if (action == 1) {
        Content moved;
        map.read(at, 40, moved);
        const std::uint32_t to = below(size - 40);
        map.write(to, moved);
        const Plain bytes(memory.begin() + at, memory.begin() + at + 40);
        std::ranges::copy(bytes, memory.begin() + to);
      } else {
        const Content content = any_content();
        map.write(at, content);
        std::ranges::copy(plain(content), memory.begin() + at);
      }
    }
    RC_ASSERT(plain(all_of(map, size)) == memory);
  });
}

TEST_CASE("records at equal distances are one piece, in any order of arrival") {
  constexpr std::uint32_t record = 8, records = 4096, stride = 128;
  std::vector<std::uint32_t> order(records);
  for (std::uint32_t i = 0; i < records; ++i) order[i] = i;
  const bool in_order = GENERATE(true, false);
  if (!in_order) std::ranges::stable_partition(order, [](std::uint32_t i) { return i / 256 % 2 == 1; });
  Below store(record * records);
  ContentMap map(store);
  for (const std::uint32_t i : order)
    map.write(std::uint64_t{i} * record, Content(Piece{file(0), record, 24 + std::uint64_t{i} * stride}));
  CHECK(map.pieces() == 2);  // the records, and what lies behind them
  const Content all = all_of(map, record * records);
  REQUIRE(all.pieces().size() == 1);
  CHECK(all.pieces()[0].source == source(Records{file(0), record, stride, 24}));
  CHECK(std::get<Records>(definition(all.pieces()[0].source)).origin(8) == 24 + stride);
}

TEST_CASE("a map gives back the memory of pieces that have come together") {
  constexpr std::uint32_t block = 8192, blocks = ContentMap::chunk_bytes / block;
  Below store(ContentMap::chunk_bytes);
  ContentMap map(store);
  const auto put = [&](std::uint32_t i) {
    map.put(std::uint64_t{i} * block, {file(0), block, std::uint64_t{i} * block});
  };
  for (std::uint32_t i = 0; i < blocks; i += 2) put(i);
  const std::uint64_t apart = map.host_bytes();
  for (std::uint32_t i = 1; i < blocks; i += 2) put(i);
  CHECK(map.pieces() == 1);
  CHECK(apart - map.host_bytes() > 16 * (blocks - 8));  // an entry takes 16 bytes, and there are as many gaps as blocks
}

TEST_CASE("a piece may be put as it is, and is a block's when it is read") {
  Below store(256);
  ContentMap map(store);
  const Source all = source(Scattered{file(0), order()});
  for (std::uint32_t at = 0; at < 128; at += 8) map.put(at, {all, 8, at});
  CHECK(map.pieces() == 2);
  Content block;
  map.read(16, 8, block);
  CHECK(block.pieces()[0] == Piece{file(0), 8, 4});
  block.clear();
  map.read(8, 8, block);
  CHECK(block.pieces()[0] == Piece{Source::zero, 8, 0});
}

TEST_CASE("clearing writes no byte, also where there have only been bytes") {
  Plain host(64, std::byte{1});
  Memory memory(host.data(), host.size());
  memory.clear(host.data() + 8, 40);
  CHECK(std::ranges::count(host, std::byte{1}) == 64);
  Plain room;
  const std::byte* const seen = memory.look(host.data(), 64, room);
  CHECK(std::count(seen, seen + 64, std::byte{1}) == 24);
  memory.bytes(host.data() + 8, 40);
  CHECK(memory.map().all_bytes());
  CHECK(std::ranges::count(host, std::byte{0}) == 40);
}

TEST_CASE("where descriptions take more room than bytes, there are bytes") {
  constexpr std::uint32_t size = 64 * 1024;
  Below store(size);
  ContentMap map(store);
  Plain memory(size);
  for (std::uint32_t at = 0; at < size; at += 8) {
    const Content word(Piece{file(0), 8, std::uint64_t{at} * at % 10'007});
    map.write(at, word);
    word.make_bytes(memory.data() + at);
  }
  CHECK(map.host_bytes() < size);
  CHECK(map.pieces() < 200);
  CHECK(plain(all_of(map, size)) == memory);
}

TEST_CASE("content crosses the chunks of a map") {
  constexpr std::uint32_t size = 3 * ContentMap::chunk_bytes;
  Below store(size);
  ContentMap map(store);
  map.write(5, Content(Piece{file(1), size - 10, 77}));
  CHECK(map.pieces() == 5);  // one a chunk, and the two ends
  const Content all = all_of(map, size);
  CHECK(all.pieces().size() == 3);
  map.make_bytes(0, size);
  CHECK(map.all_bytes());
  CHECK(matches(1, 1, 77, std::span<const std::byte>(store.bytes).subspan(5, size - 10)));
}

}  // namespace sunstar::content
