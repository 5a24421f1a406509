// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "models/core/error.h"
#include "models/core/random.h"
#include "sw/workload/subset/params.h"
#include "tests/support/catch.h"
#include "tests/support/chunks.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using namespace sunstar::workload;
using Catch::Matchers::EndsWith;

namespace {

std::vector<Piece> pieces_of(const Workload& work, std::uint32_t processor) {
  std::vector<Piece> pieces;
  const auto calls = work.accesses(processor);
  for (Access call; calls->next(call);) pieces.push_back({processor, call.offset, call.memory, call.bytes});
  return pieces;
}

std::vector<Piece> all_pieces(const Workload& work) {
  std::vector<Piece> all;
  for (std::uint32_t p = 0; p < work.processors(); ++p) std::ranges::copy(pieces_of(work, p), std::back_inserter(all));
  std::ranges::stable_sort(all, {}, &Piece::file_offset);
  return all;
}

std::set<std::uint64_t> chunks_of(const Workload& work, std::uint64_t chunk) {
  std::set<std::uint64_t> chunks;
  for (const Piece& piece : all_pieces(work)) {
    CHECK(piece.file_offset % chunk == 0);
    CHECK(chunks.insert(piece.file_offset / chunk).second);
  }
  return chunks;
}

SubsetParams list_of(const test::TemporaryFolder& folder, const std::string& lines,
                     Operation operation = Operation::read) {
  SubsetParams params;
  params.operation = operation;
  params.file_size = {1000};
  params.list = folder.write("list.csv", "processor,offset,length\n" + lines);
  return params;
}

double figure(const Workload& work, const std::string& name) {
  NamedFigures figures;
  work.add_figures(figures);
  for (const auto& entry : figures.section("subset").entries())
    if (entry.name == name) {
      if (const auto* whole = std::get_if<std::uint64_t>(&entry.value)) return static_cast<double>(*whole);
      return std::get<double>(entry.value);
    }
  FAIL("there is no figure " << name);
  return 0;
}

}  // namespace

TEST_CASE("22 % of 100 MiB in blocks are 2,816 of 12,800, 176 for each of 16 processors and disks") {
  const auto made = make(SubsetParams{}, {16});
  const Workload& work = *made;
  std::map<std::uint64_t, int> of_class;
  for (const std::uint64_t chunk : chunks_of(work, 8192)) ++of_class[chunk % 16];
  CHECK(of_class.size() == 16);
  for (const auto& [number, chunks] : of_class) CHECK(chunks == 176);
  for (std::uint32_t p = 0; p < 16; ++p) {
    CHECK(pieces_of(work, p).size() == 176);
    CHECK(work.memory_bytes(p) == 176 * 8192);
    for (const Piece& piece : pieces_of(work, p)) CHECK(piece.file_offset / 8192 % 16 == p);
  }
  CHECK(work.files().at(0).bytes == 100 << 20);
  CHECK(work.access_count() == 2816);
  CHECK(work.bytes_moved() == 2816 * 8192);
  CHECK(figure(work, "pieces") == 2816);
  CHECK(figure(work, "bytes") == 2816 * 8192);
  CHECK(figure(work, "share") == Approx(0.22));
  CHECK(figure(work, "most_at_one_processor") == 176);
}

TEST_CASE("with any share and balance, classes differ by at most one chunk where they have one to give") {
  RandomStream random(1, "subsets");
  for (int i = 0; i < 300; ++i) {
    SubsetParams params;
    params.chunk_size = {1 + random.below(20)};
    params.file_size = {1 + random.below(2000)};
    params.share = std::max(0.0001, i % 10 == 0 ? 1.0 : random.uniform());
    params.balance = static_cast<std::uint32_t>(1 + random.below(40));
    params.draw = static_cast<std::uint32_t>(random.below(1000));
    const auto processors = static_cast<std::uint32_t>(1 + random.below(5));
    const auto made = make(params, {processors});
    const Workload& work = *made;
    const std::uint64_t size = params.chunk_size.count, file = params.file_size.count;
    const std::uint64_t chunks = (file + size - 1) / size;
    const auto chosen = chunks_of(work, size);
    INFO(chunks << " chunks, share " << params.share << ", balance " << params.balance);
    CHECK(chosen.size() == std::max<std::uint64_t>(1, static_cast<std::uint64_t>(
                                                          std::llround(params.share * static_cast<double>(chunks)))));
    std::map<std::uint64_t, std::uint64_t> of_class;
    for (std::uint64_t c = 0; c < std::min<std::uint64_t>(params.balance, chunks); ++c) of_class[c] = 0;
    for (const std::uint64_t chunk : chosen) ++of_class[chunk % params.balance];
    const auto [least, most] = std::ranges::minmax_element(of_class, {}, [](const auto& of) { return of.second; });
    CHECK(most->second - least->second <= 1);
    for (const Piece& piece : all_pieces(work)) {
      CHECK(piece.processor == piece.file_offset / size % processors);
      CHECK(piece.bytes == std::min(size, file - piece.file_offset));
    }
  }
}

TEST_CASE("the same draw chooses the same chunks, another draw others") {
  SubsetParams params;
  const auto first = chunks_of(*make(params, {16}), 8192);
  CHECK(chunks_of(*make(params, {4}), 8192) == first);
  params.draw = 2;
  const auto second = chunks_of(*make(params, {16}), 8192);
  CHECK(second.size() == first.size());
  std::vector<std::uint64_t> both;
  std::ranges::set_intersection(first, second, std::back_inserter(both));
  // 22 % of the chunks of one draw are in another one as well: 620 of 2,816.
  CHECK(both.size() > 500);
  CHECK(both.size() < 740);
}

TEST_CASE("a collective's list says the same as the calls, in file order, one piece behind the other in memory") {
  for (const auto operation : {Operation::read, Operation::write}) {
    SubsetParams params;
    params.operation = operation;
    params.file_size = {100'000};
    params.chunk_size = {700};
    const auto made = make(params, {3});
    const Workload& work = *made;
    REQUIRE(work.collectives().size() == 1);
    const Collective& collective = work.collectives().front();
    CHECK(collective.operation == operation);
    CHECK(collective.mapping->listed());
    CHECK(work.files().at(0).written == (operation == Operation::write));
    for (std::uint32_t p = 0; p < 3; ++p) {
      std::uint64_t memory = 0, offset = 0;
      const auto source = work.accesses(p);
      for (Access call; source->next(call);) {
        CHECK(call.operation == operation);
        CHECK(call.memory == memory);
        CHECK(call.offset >= offset);
        memory += call.bytes;
        offset = call.offset + call.bytes;
        std::vector<Piece> pieces;
        collective.mapping->pieces(call.offset, call.bytes, pieces);
        CHECK(pieces == std::vector<Piece>{{p, call.offset, call.memory, call.bytes}});
      }
      CHECK(memory == work.memory_bytes(p));
    }
  }
}

TEST_CASE("a list is taken in file order, and the file is as long as it says") {
  const test::TemporaryFolder folder;
  const auto made = make(list_of(folder, "1,500,10\n0,90,5\n1,20,30\n\n0,1200,7\n"), {3});
  const Workload& work = *made;
  CHECK(pieces_of(work, 0) == std::vector<Piece>{{0, 90, 0, 5}, {0, 1200, 5, 7}});
  CHECK(pieces_of(work, 1) == std::vector<Piece>{{1, 20, 0, 30}, {1, 500, 30, 10}});
  CHECK(pieces_of(work, 2).empty());
  CHECK(work.memory_bytes(2) == 0);
  CHECK(work.files().at(0).bytes == 1207);
  CHECK(figure(work, "shortest_piece") == 5);
  CHECK(figure(work, "median_piece") == 10);
  CHECK(figure(work, "longest_piece") == 30);
  CHECK(figure(work, "most_at_one_processor") == 2);
  CHECK(figure(work, "share") == Approx(52.0 / 1207));
  CHECK(make(list_of(folder, "0,0,8\n"), {1})->files().at(0).bytes == 1000);
}

TEST_CASE("pieces of a list may overlap: each reader gets its copy, a collective writes each byte once") {
  const test::TemporaryFolder folder;
  const std::string lines = "0,0,100\n1,50,100\n0,90,20\n0,90,20\n";
  const auto reads_made = make(list_of(folder, lines), {2});
  const Workload& reads = *reads_made;
  CHECK(reads.bytes_moved() == 240);
  CHECK(reads.collective_bytes() == 240);
  const auto writes_made = make(list_of(folder, lines, Operation::write), {2});
  const Workload& writes = *writes_made;
  CHECK(writes.bytes_moved() == 240);
  CHECK(writes.collective_bytes() == 150);
  CHECK(test::chunks_of(*writes.collectives()[0].mapping, 0) == std::vector<Piece>{{0, 0, 0, 100}});
  CHECK(test::chunks_of(*writes.collectives()[0].mapping, 1) == std::vector<Piece>{{1, 100, 50, 50}});
}

TEST_CASE("a list that cannot be used is refused with file, line and value") {
  const test::TemporaryFolder folder;
  const auto refused = [&](const SubsetParams& params) -> std::string {
    try {
      make(params, {4});
    } catch (const ConfigError& e) {
      return e.what();
    }
    return "";
  };
  const auto line = [&](const std::string& lines) { return refused(list_of(folder, lines)); };
  CHECK_THAT(line("0,1,2\n-1,0,8\n"),
             EndsWith(R"(list.csv:3: processor: "-1" is not allowed; it must be a whole number from 0 to 3.)"));
  CHECK_THAT(line("4,0,8\n"),
             EndsWith(R"(list.csv:2: processor: "4" is not allowed; it must be a whole number from 0 to 3.)"));
  CHECK_THAT(line("0,-8,8\n"),
             EndsWith(R"(:2: offset: "-8" is not allowed; it must be a whole number from 0 to 1099511627776.)"));
  CHECK_THAT(line("0,18446744073709551616,8\n"), EndsWith(R"(offset: "18446744073709551616" is not allowed; it must )"
                                                          R"(be a whole number from 0 to 1099511627776.)"));
  CHECK_THAT(line("0,0,1073741825\n"),
             EndsWith(R"(:2: length: "1073741825" is not allowed; it must be a whole number from 0 to 1073741824.)"));
  CHECK_THAT(line("0,0,0\n"),
             EndsWith(R"(:2: length: "0" is not allowed; it must be a whole number from 1 to 1073741824.)"));
  CHECK_THAT(
      line("0,1099511627770,8\n"),
      EndsWith("it must be small enough for the piece, which begins at 1099511627770, to end by 1099511627776."));
  CHECK_THAT(line("0,0\n"), EndsWith("list.csv:2: the line has 2 fields; it must have the 3 of the header."));
  CHECK_THAT(line(""), EndsWith("list.csv: the list has no piece; below its header it must have at least one."));
  SubsetParams params;
  params.list = folder.write("x.csv", "rank,offset,length\n0,0,1\n");
  CHECK_THAT(refused(params), EndsWith("x.csv:1: there is no column \"processor\" among rank, offset and length; the "
                                       "columns needed are processor, offset and length."));
  params.list = folder.path / "none.csv";
  CHECK_THAT(refused(params),
             EndsWith("none.csv: there is no such file; it must be a CSV file, plain or packed by gzip."));
}

TEST_CASE("a file of too many chunks is refused") {
  SubsetParams params;
  params.chunk_size = {1};
  params.file_size = {1 << 27};
  params.share = 0.125;
  Problems problems;
  check(params, "workload", problems);
  CHECK(problems.empty());
  ++params.file_size.count;
  check(params, "workload", problems);
  CHECK(problems.sentences() ==
        std::vector<std::string>{"workload.chunk_size makes 134217729 chunks of the file; there may be at most "
                                 "134217728: choose a larger chunk_size or a smaller file_size."});
  --params.file_size.count;
  params.share = 0.1250001;
  Problems chosen;
  check(params, "workload", chosen);
  CHECK(chosen.sentences() ==
        std::vector<std::string>{"workload.share chooses 16777229 chunks; it may choose at most 16777216: choose a "
                                 "smaller share or a larger chunk_size."});
}
