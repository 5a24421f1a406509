// SPDX-License-Identifier: MIT
// Messages that carry several pieces: how they are described, and that each byte gets to its place.
#include "sw/messages/pieces.h"

#include <numeric>

#include "models/core/random.h"
#include "sw/messages/piece_transfer.h"
#include "tests/support/catch.h"
#include "tests/support/endpoints.h"

using namespace sunstar;
using namespace sunstar::literals;
using namespace sunstar::messages;
using os::Cost;
using os::Costs;
using os::Task;
using test::at_ns;
using test::Endpoints;
using test::FakeMachine;
using test::free_of_charge;

namespace {

Runs runs_of(const std::vector<std::pair<std::uint64_t, std::uint32_t>>& pieces) {
  Runs runs;
  for (const auto& [offset, bytes] : pieces) runs.add(offset, bytes);
  return runs;
}

/// Two nodes; the second one offers 4 KiB in which byte i has a value that depends on i.
struct Pair {
  explicit Pair(const Costs& costs = free_of_charge()) : nodes(machine, costs), far(4096), near(4096), packed(8192) {
    for (std::size_t i = 0; i < far.size(); ++i) far[i] = std::byte(i * 7 % 251);
    for (std::size_t i = 0; i < near.size(); ++i) near[i] = std::byte(i * 3 % 241);
    memory = {far.data(), far.size()};
    nodes[1].offer(memory, 4096);
  }
  /// Carries out `body(transfer)` on node 0 and runs to the end.
  template <class Body>
  void run(std::uint64_t room, Body body) {
    PieceTransfer transfer(nodes[0], packed.data(), room);
    const auto thread = [&]() -> Task<> {
      co_await body(transfer);
      co_await transfer.end();
      done = nodes.os(0).now();
    };
    nodes.os(0).spawn(thread(), "mover");
    machine.timeline.run();
    CHECK(machine.unreleased() == 0);
  }

  FakeMachine machine{2};
  Endpoints nodes;
  std::vector<std::byte> far, near, packed;
  RemoteMemory memory;
  Time done{};
};

/// Pieces in ascending places on both sides, which never overlap.
std::vector<MovedPiece> random_pieces(RandomStream& random) {
  std::vector<MovedPiece> pieces;
  std::uint64_t there = random.below(9), here = random.below(9);
  const bool regular = random.below(2);
  const auto bytes = static_cast<std::uint32_t>(1 + random.below(30));
  while (true) {
    const auto n = regular ? bytes : static_cast<std::uint32_t>(1 + random.below(30));
    if (there + n > 4000 || here + n > 4000) return pieces;
    pieces.push_back({there, here, n});
    there += n + (regular ? 5 : random.below(3) * random.below(20));
    here += n + random.below(3) * random.below(10);
  }
}

}  // namespace

TEST_CASE("pieces that touch become one, pieces at equal distances one run") {
  CHECK(runs_of({{0, 8}, {8, 8}, {16, 4}}).list().size() == 1);
  CHECK(runs_of({{0, 8}, {8, 8}, {16, 4}}).list_bytes() == 0);
  const Runs strided = runs_of({{100, 8}, {228, 8}, {356, 8}, {484, 8}});
  REQUIRE(strided.list().size() == 1);
  CHECK(strided.list()[0].offset == 100);
  CHECK(strided.list()[0].count == 4);
  CHECK(strided.list()[0].stride == 128);
  CHECK(strided.bytes() == 32);
  CHECK(runs_of({{0, 8}, {100, 4}, {200, 8}}).list().size() == 3);
  CHECK(runs_of({{0, 8}, {100, 4}, {200, 8}}).list_bytes() == 72);
  CHECK(runs_of({{0, 8}, {100, 8}, {300, 8}, {500, 8}}).list().size() == 2);
  CHECK(runs_of({{50, 8}, {20, 8}}).list().size() == 2);  // backwards
}

TEST_CASE("any list of pieces describes exactly these pieces") {
  RandomStream random(1, "runs");
  for (int round = 0; round < 300; ++round) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> pieces;
    Runs runs;
    std::vector<std::uint64_t> bytes, described;
    for (std::uint64_t n = 1 + random.below(20); n > 0; --n) {
      const std::uint64_t offset = random.below(6) * 10;
      const auto size = static_cast<std::uint32_t>(8 + random.below(2) * 2);
      runs.add(offset, size);
      for (std::uint32_t i = 0; i < size; ++i) bytes.push_back(offset + i);
    }
    for (const PieceRun& run : runs.list())
      for_each_piece(run, [&](std::uint64_t offset, std::uint32_t size) {
        for (std::uint32_t i = 0; i < size; ++i) described.push_back(offset + i);
      });
    CHECK(described == bytes);
    CHECK(runs.bytes() == bytes.size());
  }
}

TEST_CASE("pieces that are put or fetched together each get to their place, in as many messages as they need") {
  RandomStream random(2, "pieces");
  for (int round = 0; round < 200; ++round) {
    const auto pieces = random_pieces(random);
    const std::uint64_t bytes = std::accumulate(pieces.begin(), pieces.end(), std::uint64_t{0},
                                                [](std::uint64_t sum, const MovedPiece& p) { return sum + p.bytes; });
    const bool put = random.below(2);
    Pair pair;
    auto expected = put ? pair.far : pair.near;
    for (const MovedPiece& p : pieces)
      for (std::uint32_t i = 0; i < p.bytes; ++i)
        if (put) expected[p.there + i] = pair.near[p.here + i];
        else expected[p.here + i] = pair.far[p.there + i];
    pair.run(put ? 200 + random.below(8000) : 8192, [&](PieceTransfer& t) {
      return put ? t.put(1, pieces, pair.near.data()) : t.get(1, pieces, pair.near.data());
    });
    CHECK((put ? pair.far : pair.near) == expected);
    CHECK((put ? pair.memory.put_bytes : pair.memory.got_bytes) == bytes);
  }
}

TEST_CASE("pieces in a row at the other end go there by DMA, and others cost their copies") {
  Costs costs = free_of_charge();
  costs.piece_copy = Cycles{10};
  costs.copy_per_byte = Cycles{1};
  // Packed here: 4 pieces of 8 bytes, 4 x 10 + 32 = 72 ns. Each message takes 1000 ns.
  const std::vector<MovedPiece> contiguous{{0, 0, 8}, {8, 100, 8}, {16, 200, 8}, {24, 300, 8}};
  Pair one(costs);
  one.run(8192, [&](PieceTransfer& t) { return t.put(1, contiguous, one.near.data()); });
  CHECK(one.machine.sent.size() == 2);
  CHECK(one.machine.sent[0].when == at_ns(72));
  CHECK(one.machine.sent[0].message.bytes == 32);
  CHECK(one.machine.sent[1].when == at_ns(1072));
  CHECK(one.nodes[0].list_bytes() == 0);

  // At equal distances: described in the header; unpacked there in another 72 ns.
  const std::vector<MovedPiece> strided{{0, 0, 8}, {50, 100, 8}, {100, 200, 8}, {150, 300, 8}};
  Pair two(costs);
  two.run(8192, [&](PieceTransfer& t) { return t.put(1, strided, two.near.data()); });
  CHECK(two.machine.sent[0].message.bytes == 32);
  CHECK(two.machine.sent[1].when == at_ns(1144));

  // Anywhere: two runs of two, in a list of 48 bytes.
  const std::vector<MovedPiece> irregular{{0, 0, 8}, {50, 100, 8}, {70, 200, 8}, {150, 300, 8}};
  Pair three(costs);
  three.run(8192, [&](PieceTransfer& t) { return t.put(1, irregular, three.near.data()); });
  CHECK(three.machine.sent[0].message.bytes == 32 + 48);
  CHECK(three.nodes[0].list_bytes() == 48);
  CHECK(three.machine.sent[1].when == at_ns(1144));

  // Fetched: the other node packs, this one unpacks. The request has the list alone.
  Pair four(costs);
  four.run(8192, [&](PieceTransfer& t) { return t.get(1, irregular, four.near.data()); });
  CHECK(four.machine.sent[0].when == at_ns(0));
  CHECK(four.machine.sent[0].message.bytes == 48);
  CHECK(four.machine.sent[1].when == at_ns(1072));
  CHECK(four.machine.sent[1].message.bytes == 32);
  CHECK(four.done == at_ns(2072));
}

TEST_CASE("appended data follow one another in the order in which they arrive") {
  Pair pair;
  const auto body = [&]() -> Task<> {
    ReplyAction answers(pair.nodes[0]);
    for (std::uint32_t i = 0; i < 3; ++i)
      co_await pair.nodes.os(0).send(pair.nodes[0].append(1, &pair.near[i * 100], 10 + i, answers.expect(1)));
    while (answers.outstanding()) co_await answers.arrival();
    CHECK(pair.memory.appended == 33);
  };
  pair.nodes.os(0).spawn(body(), "appender");
  pair.machine.timeline.run();
  std::vector<std::byte> expected;
  for (std::size_t i = 0; i < 3; ++i)
    expected.insert(expected.end(), pair.near.begin() + static_cast<std::ptrdiff_t>(i * 100),
                    pair.near.begin() + static_cast<std::ptrdiff_t>(i * 110 + 10 - i * 9));
  CHECK(std::equal(expected.begin(), expected.end(), pair.far.begin()));
}
