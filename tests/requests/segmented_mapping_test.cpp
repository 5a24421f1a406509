// SPDX-License-Identifier: MIT
#include "sw/requests/distributions/segmented_mapping.h"

#include <algorithm>
#include <map>

#include "sw/requests/distributions/mapping.h"
#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::requests;

namespace {

/// Where each byte of a file lies, one by one: processor and place in its buffer.
std::map<std::uint64_t, std::pair<std::uint32_t, std::uint64_t>> places_of(const Segments& file, std::uint64_t from,
                                                                           std::uint64_t to) {
  std::map<std::uint64_t, std::pair<std::uint32_t, std::uint64_t>> places;
  for (std::uint32_t p = 0; p < file.processors; ++p)
    for (std::uint64_t i = from; i < to; ++i)
      for (std::uint64_t b = 0; b < file.transfer_bytes; ++b) {
        const std::uint64_t segment = i / file.transfers, block = (p + file.shift) % file.processors;
        const std::uint64_t before = (segment * file.processors + block) * file.transfers + i % file.transfers;
        places[before * file.transfer_bytes + b] = {p, i * file.transfer_bytes + b};
      }
  return places;
}

void add_places(const Piece& piece, std::map<std::uint64_t, std::pair<std::uint32_t, std::uint64_t>>& places) {
  for (std::uint64_t b = 0; b < piece.bytes; ++b)
    CHECK(places.emplace(piece.file_offset + b, std::pair{piece.processor, piece.memory_offset + b}).second);
}

}  // namespace

TEST_CASE("pieces and chunks of segments are the bytes that each processor's transfers have") {
  for (const Segments& file :
       {Segments{3, 2, 3, 4, 0}, Segments{1, 1, 5, 3, 2}, Segments{5, 3, 1, 1, 0}, Segments{4, 1, 2, 2, 1}}) {
    const std::uint64_t all = file.transfers_of_processor();
    for (std::uint64_t from = 0; from < all; ++from)
      for (std::uint64_t to = from + 1; to <= all; ++to) {
        const SegmentedMapping mapping(file, from, to);
        const auto expected = places_of(file, from, to);
        CHECK(mapping.extent().begin == expected.begin()->first);
        CHECK(mapping.extent().end == expected.rbegin()->first + 1);

        std::map<std::uint64_t, std::pair<std::uint32_t, std::uint64_t>> found;
        std::vector<Piece> pieces;
        for (std::uint64_t at = 0; at < mapping.file_bytes(); at += 7) {  // in parts that fit nothing
          const std::uint64_t bytes = std::min<std::uint64_t>(7, mapping.file_bytes() - at), before = pieces.size();
          mapping.pieces(at, bytes, pieces);
          CHECK(mapping.touches(at, bytes) == (pieces.size() > before));
        }
        for (const Piece& piece : pieces) add_places(piece, found);
        CHECK(found == expected);

        found.clear();
        for (std::uint32_t p = 0; p < file.processors; ++p)
          for (std::uint64_t at = 0; const auto chunk = mapping.chunk(p, at);) {
            CHECK(chunk->processor == p);
            CHECK(chunk->memory_offset >= at);
            at = chunk->memory_offset + chunk->bytes;
            add_places(*chunk, found);
          }
        CHECK(found == expected);
      }
  }
}

TEST_CASE("a chunk of segments extends across the transfers of a block, and may begin within one") {
  const SegmentedMapping mapping({10, 4, 2, 3, 0}, 1, 7);
  CHECK(mapping.chunk(1, 0) == Piece{1, 40 + 10, 10, 30});
  CHECK(mapping.chunk(1, 25) == Piece{1, 40 + 25, 25, 15});
  CHECK(mapping.chunk(1, 40) == Piece{1, 120 + 40, 40, 30});
  CHECK_FALSE(mapping.chunk(1, 70));
}

TEST_CASE("segments travel as eight words") {
  const auto mapping = std::make_shared<SegmentedMapping>(Segments{47008, 2, 100, 10, 3}, 5, 6);
  const Words words = Transfer{1, Operation::read, mapping}.words();
  CHECK(words.size() == 2 + 8);
  const Transfer there = Transfer::of(words);
  CHECK(there.words() == words);
  std::vector<Piece> sent, arrived;
  mapping->pieces(0, mapping->file_bytes(), sent);
  there.mapping->pieces(0, mapping->file_bytes(), arrived);
  CHECK(sent == arrived);
  CHECK(sent.size() == 10);
}
