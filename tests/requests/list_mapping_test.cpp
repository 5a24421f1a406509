// SPDX-License-Identifier: MIT
#include "sw/requests/distributions/list_mapping.h"

#include <algorithm>

#include "models/core/random.h"
#include "tests/support/catch.h"
#include "tests/support/chunks.h"

using namespace sunstar;
using namespace sunstar::requests;

namespace {

auto memory(std::vector<std::uint64_t> sizes) {
  return std::make_shared<const std::vector<std::uint64_t>>(std::move(sizes));
}

std::vector<Piece> chunks_of(const ListMapping& mapping) {
  std::vector<Piece> chunks;
  for (std::uint32_t p = 0; p < mapping.processors(); ++p)
    for (const Piece& chunk : test::chunks_of(mapping, p)) chunks.push_back(chunk);
  return chunks;
}

std::vector<Piece> pieces_of(const ListMapping& mapping, std::uint64_t offset, std::uint64_t bytes) {
  std::vector<Piece> pieces;
  mapping.pieces(offset, bytes, pieces);
  return pieces;
}

}  // namespace

TEST_CASE("overlapping reads are delivered to every reader") {
  //  file     0    10    20    30
  //  P0       [---------]            and P1 [5, 25)
  const ListMapping mapping(30, memory({16, 32}), {{0, 0, 0, 16}, {1, 5, 8, 20}}, ListMapping::Holders::every);
  CHECK(pieces_of(mapping, 0, 30) == std::vector<Piece>{{0, 0, 0, 16}, {1, 5, 8, 20}});
  CHECK(pieces_of(mapping, 10, 2) == std::vector<Piece>{{0, 10, 10, 2}, {1, 10, 13, 2}});
  CHECK(pieces_of(mapping, 16, 4) == std::vector<Piece>{{1, 16, 19, 4}});
  CHECK(pieces_of(mapping, 25, 5).empty());  // nobody's
  CHECK(mapping.held_bytes() == 36);
}

TEST_CASE("of overlapping writes each byte has one holder, the run that begins first") {
  // P1 [0, 10), P0 [4, 20), P0 [6, 8) inside both, P1 [18, 24).
  const ListMapping mapping(24, memory({24, 24}), {{0, 4, 0, 16}, {0, 6, 16, 2}, {1, 0, 0, 10}, {1, 18, 16, 6}},
                            ListMapping::Holders::one);
  CHECK(pieces_of(mapping, 0, 24) == std::vector<Piece>{{1, 0, 0, 10}, {0, 10, 6, 10}, {1, 20, 18, 4}});
  CHECK(chunks_of(mapping) == std::vector<Piece>{{0, 10, 6, 10}, {1, 0, 0, 10}, {1, 20, 18, 4}});
  CHECK(mapping.requested_bytes() == 34);
  CHECK(mapping.held_bytes() == 24);
}

TEST_CASE("runs that touch in file and memory are one chunk") {
  const ListMapping mapping(100, memory({40}), {{0, 0, 8, 8}, {0, 8, 16, 8}, {0, 24, 24, 8}},
                            ListMapping::Holders::every);
  CHECK(chunks_of(mapping) == std::vector<Piece>{{0, 0, 8, 16}, {0, 24, 24, 8}});
  CHECK(mapping.chunk(0, 12) == Piece{0, 4, 12, 12});
}

TEST_CASE("the pieces of any range are the runs cut to it, for random lists") {
  RandomStream random(5, "list_mapping_test");
  for (int trial = 0; trial < 200; ++trial) {
    const std::uint64_t file = 1 + random.below(200);
    std::vector<Piece> runs;
    std::vector<std::uint64_t> used(3, 0);
    std::vector<std::uint64_t> starts(random.below(12));
    for (auto& start : starts) start = random.below(file);
    std::sort(starts.begin(), starts.end());
    for (std::uint64_t start : starts) {
      const auto p = static_cast<std::uint32_t>(random.below(3));
      const std::uint64_t bytes = 1 + random.below(file - start);
      runs.push_back({p, start, used[p], bytes});
      used[p] += (bytes + 7) / 8 * 8;
    }
    std::vector<int> readers(file, 0);
    for (const Piece& run : runs)
      for (std::uint64_t b = 0; b < run.bytes; ++b) ++readers[run.file_offset + b];
    const ListMapping every(file, memory(used), runs, ListMapping::Holders::every);
    const ListMapping one(file, memory(used), runs, ListMapping::Holders::one);
    const std::uint64_t from = random.below(file), bytes = random.below(file - from + 1);
    for (const ListMapping* mapping : {&every, &one}) {
      std::vector<int> found(file, 0);
      std::uint64_t last = 0;
      for (const Piece& piece : pieces_of(*mapping, from, bytes)) {
        REQUIRE(piece.file_offset >= last);
        last = piece.file_offset;
        bool is_of_a_run = false;  // file and memory belong together
        for (const Piece& run : runs)
          is_of_a_run |= run.processor == piece.processor && run.file_offset <= piece.file_offset &&
                         piece.file_offset - run.file_offset + run.memory_offset == piece.memory_offset;
        REQUIRE(is_of_a_run);
        for (std::uint64_t b = 0; b < piece.bytes; ++b) ++found[piece.file_offset + b];
      }
      for (std::uint64_t b = 0; b < file; ++b) {
        const bool inside = b >= from && b < from + bytes;
        REQUIRE(found[b] == (!inside ? 0 : mapping == &every ? readers[b] : readers[b] > 0 ? 1 : 0));
      }
    }
  }
}
