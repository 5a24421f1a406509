// SPDX-License-Identifier: MIT
#include "sw/requests/distributions/mapping.h"

#include "sw/requests/distributions/hpf_mapping.h"
#include "sw/requests/distributions/list_mapping.h"
#include "sw/requests/distributions/placed_mapping.h"
#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::literals;
using namespace sunstar::requests;

namespace {

std::vector<Piece> pieces_of(const Mapping& mapping) {
  std::vector<Piece> pieces;
  mapping.pieces(0, mapping.file_bytes(), pieces);
  return pieces;
}

}  // namespace

TEST_CASE("a transfer of every HPF distribution travels as words and arrives the same") {
  using enum Distribution;
  for (const Distribution rows : {none, block, cyclic})
    for (const Distribution cols : {none, block, cyclic}) {
      const auto mapping = std::make_shared<HpfMapping>(ArrayShape{6, 10}, 16_B, rows, cols, 4);
      const Words words = Transfer{3, Operation::write, mapping}.words();
      CHECK(words.size() == 9);
      const Transfer there = Transfer::of(words);
      CHECK(there.file == 3);
      CHECK(there.operation == Operation::write);
      CHECK_FALSE(there.selection);
      CHECK(pieces_of(*there.mapping) == pieces_of(*mapping));
      CHECK(there.words() == words);
    }
  const auto everywhere = std::make_shared<HpfMapping>(ArrayShape{6, 1}, 16_B, Distribution::all, 3);
  CHECK(pieces_of(*Transfer::of(Transfer{0, Operation::read, everywhere}.words()).mapping) == pieces_of(*everywhere));
}

TEST_CASE("a placed mapping travels with its bases, each run of equal ones once") {
  const auto inner = std::make_shared<HpfMapping>(ArrayShape{8, 1}, 8_B, Distribution::block, 4);
  const auto placed = std::make_shared<PlacedMapping>(inner, 2, 10, std::vector<std::uint64_t>{64, 64, 0, 128});
  const Words words = Transfer{0, Operation::read, placed}.words();
  CHECK(words.size() == 2 + 4 + 2 * 3 + 7);
  const Transfer there = Transfer::of(words);
  CHECK(pieces_of(*there.mapping) == pieces_of(*placed));
  for (std::uint32_t p = 0; p < 10; ++p) CHECK(there.mapping->memory_bytes(p) == placed->memory_bytes(p));
}

TEST_CASE("of a list only the size of the file travels with the transfer") {
  const auto memory = std::make_shared<const std::vector<std::uint64_t>>(std::vector<std::uint64_t>{100, 100});
  const auto list =
      std::make_shared<ListMapping>(1000, memory, std::vector<Piece>{{1, 30, 0, 50}}, ListMapping::Holders::every);
  const Transfer there = Transfer::of(Transfer{0, Operation::read, list}.words());
  CHECK(there.mapping->listed());
  CHECK(there.mapping->file_bytes() == 1000);
  CHECK(pieces_of(*there.mapping).empty());
}

TEST_CASE("a selection travels with its key, its filter and its boundaries") {
  const auto mapping = std::make_shared<HpfMapping>(ArrayShape{8, 1}, 64_B, Distribution::cyclic, 3);
  auto selection = std::make_shared<Selection>();
  selection->function = Selection::Function::range;
  selection->first = 5;
  selection->processors = 3;
  selection->record_bytes = 64;
  selection->key = {16, 4};
  selection->boundaries = {1000, 1ull << 40};
  selection->filter_offset = 24;
  selection->discarded_below = 77;
  const Words words = Transfer{1, Operation::read, mapping, selection}.words();
  const Transfer there = Transfer::of(words);
  REQUIRE(there.selection);
  CHECK(there.selection->boundaries == selection->boundaries);
  CHECK(there.selection->key.offset == 16);
  CHECK(there.selection->key.bytes == 4);
  CHECK(there.selection->filters());
  CHECK(there.words() == words);
}
