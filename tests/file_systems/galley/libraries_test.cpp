// SPDX-License-Identifier: MIT
// The libraries on top of Galley, on nodes without a kernel.
#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

#include "examples/galley/shifted_blocks.h"
#include "examples/galley/shifted_matrix.h"
#include "models/core/random.h"
#include "sw/file_systems/galley/libraries/linear_file.h"
#include "tests/support/bytes.h"
#include "tests/support/galley_rig.h"

using namespace sunstar;
using namespace sunstar::file_systems::galley;
using test::copy;
using test::difference;
using test::fill;
using test::GalleyRig;

namespace {

/// Where a byte lies: subfile, offset, bytes to the end of the unit.
using Where = std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>;
Where where(const Declustering& d, std::uint64_t offset) {
  const Declustering::Place place = d.place(offset);
  return {place.subfile, place.offset, place.bytes};
}

/// Waits until `n` of what the processors count has happened.
os::Task<> wait_until(Gfs& gfs, const std::uint32_t& count, std::uint32_t n) {
  while (count < n) co_await gfs.os().sleep_until(gfs.os().now() + Duration{1'000'000'000});
}

}  // namespace

// --- linear files ---

TEST_CASE("a cyclic declustering deals its units, of any size, out to the subfiles in turn") {
  const Declustering d = Declustering::cyclic(3, 10);
  CHECK(where(d, 0) == Where{0, 0, 10});
  CHECK(where(d, 9) == Where{0, 9, 1});
  CHECK(where(d, 10) == Where{1, 0, 10});
  CHECK(where(d, 25) == Where{2, 5, 5});
  CHECK(where(d, 30) == Where{0, 10, 10});
  CHECK(where(d, 74) == Where{1, 24, 6});
  // 74 bytes are 7 units, three of them in subfile 0, and 4 bytes of the eighth.
  CHECK(d.bytes_in(0, 74) == 30);
  CHECK(d.bytes_in(1, 74) == 24);
  CHECK(d.bytes_in(2, 74) == 20);
  CHECK(d.end_of(0, 30) == 70);
  CHECK(d.end_of(1, 24) == 74);
  CHECK(d.end_of(2, 20) == 60);
  CHECK(d.end_of(2, 0) == 0);
  CHECK(where(Declustering::cyclic(2, 0), 3) == Where{1, 1, 1});
}

TEST_CASE("contiguous shares and a single subfile are declusterings, too") {
  const Declustering shares = Declustering::shares(3, 100);
  CHECK(where(shares, 33) == Where{0, 33, 1});
  CHECK(where(shares, 34) == Where{1, 0, 34});
  CHECK(where(shares, 99) == Where{2, 31, 3});
  CHECK(shares.bytes_in(0, 100) == 34);
  CHECK(shares.bytes_in(2, 100) == 32);
  CHECK(where(shares, 102) == Where{0, 34, 34});
  const Declustering one = Declustering::cyclic(1, 7);
  CHECK(where(one, 20) == Where{0, 20, 1});
  CHECK(one.bytes_in(0, 20) == 20);
  CHECK(one.end_of(0, 20) == 20);
}

TEST_CASE("any declustering gives each byte of the file a place of its own, and the forks have no gaps") {
  RandomStream random(1, "declusterings");
  for (int i = 0; i < 100; ++i) {
    const auto subfiles = static_cast<std::uint32_t>(1 + random.below(7));
    const std::uint64_t bytes = random.below(500);
    const Declustering d =
        i % 3 == 0 ? Declustering::shares(subfiles, bytes) : Declustering::cyclic(subfiles, 1 + random.below(60));
    std::vector<std::set<std::uint64_t>> forks(subfiles);
    for (std::uint64_t b = 0; b < bytes; ++b) {
      const Declustering::Place place = d.place(b);
      REQUIRE(place.subfile < subfiles);
      CHECK(forks[place.subfile].insert(place.offset).second);
      CHECK(d.end_of(place.subfile, place.offset + 1) == b + 1);
    }
    for (std::uint32_t s = 0; s < subfiles; ++s) {
      CHECK(forks[s].size() == d.bytes_in(s, bytes));
      CHECK((forks[s].empty() || *forks[s].rbegin() == forks[s].size() - 1));
    }
  }
}

TEST_CASE("a linear file is one sequence of bytes for any declustering, and another processor finds it by name") {
  constexpr std::uint64_t size = 20000;
  const Declustering all[] = {Declustering::cyclic(4, 1024),   Declustering::cyclic(4, 100),
                              Declustering::cyclic(3, 1),      Declustering::cyclic(2, 5000),
                              Declustering::shares(4, size),   Declustering::shares(1, size),
                              Declustering::cyclic(1, 300000), Declustering::shares(3, size / 2)};
  std::uint64_t seed = 0;
  for (const Declustering& declustering : all) {
    GalleyRig rig(2, 4);
    RandomStream random(++seed, "calls");
    std::vector<std::byte> file_bytes;
    std::uint32_t written = 0;
    rig.run([&](Gfs& gfs, std::uint32_t p) -> os::Task<> {
      LinearFile file(gfs, declustering);
      if (p == 1) {
        co_await wait_until(gfs, written, 1);
        const Error opened = co_await file.open("file");
        CHECK(opened == Error::none);
        CHECK(file.bytes() == file_bytes.size());
        const Answer read = co_await file.read(5, 0, file_bytes.size());
        CHECK(read.error == Error::none);
        CHECK(read.bytes == file_bytes.size());
        co_return;
      }
      fill(rig.memory(0), seed);
      auto memory = copy(rig.memory(0));
      const Error created = co_await file.create("file", 2);
      CHECK(created == Error::none);
      const Error extended = co_await file.extend(size / 2);
      CHECK(extended == Error::none);
      file_bytes.resize(size / 2);
      for (int i = 0; i < 25; ++i) {
        const std::uint64_t at = random.below(file_bytes.size()), bytes = random.below(size / 4);
        const std::uint64_t place = random.below(40000);
        if (random.below(2) == 0) {
          const Answer answer = co_await file.write(place, at, bytes);
          REQUIRE(answer.error == Error::none);
          CHECK(answer.bytes == bytes);
          file_bytes.resize(std::max<std::size_t>(file_bytes.size(), at + bytes));
          std::memcpy(file_bytes.data() + at, memory.data() + place, bytes);
        } else {
          const std::uint64_t some = std::min<std::uint64_t>(bytes, file_bytes.size() - at);
          const Answer answer = co_await file.read(place, at, some);
          REQUIRE(answer.error == Error::none);
          CHECK(answer.bytes == some);
          std::memcpy(memory.data() + place, file_bytes.data() + at, some);
        }
        CHECK(file.bytes() == file_bytes.size());
        REQUIRE(difference(rig.memory(0), memory) == -1);
      }
      written = 1;
    });
    CHECK(difference(rig.memory(1).subspan(5, file_bytes.size()), file_bytes) == -1);
    for (std::uint32_t s = 0; s < declustering.subfiles; ++s)
      CHECK(rig.on_disk("file", s, LinearFile::fork_name).size() == declustering.bytes_in(s, file_bytes.size()));
  }
}

TEST_CASE(
    "a list of pieces of a linear file is one request for each subfile, and says which bytes of the file it lacks") {
  GalleyRig rig(1, 2);
  fill(rig.memory(0), 9);
  const auto before = copy(rig.memory(0));
  const std::vector<gfs_list_entry> list{{500, 50000, 10}, {1000, 60000, 100}, {100, 55000, 20}};
  std::vector<file_systems::galley::Extent> missing;
  std::size_t messages = 0;
  rig.run([&](Gfs& gfs, std::uint32_t) -> os::Task<> {
    LinearFile file(gfs, Declustering::cyclic(2, 1024));
    co_await file.create("file");
    co_await file.write(0, 0, 40 << 10);  // more than the caches hold
    co_await gfs.gfs_sync();
    messages = rig.machine.sent.size();
    Answer read = co_await file.move(Gfs::Direction::read, list);
    messages = rig.machine.sent.size() - messages;
    CHECK(read.bytes == 130);
    co_await file.read(0, 4 << 10, 36 << 10);  // the first blocks leave the caches
    rig.disk(1).broken = true;
    rig.disk(1).error = hal::Status::medium_error;
    read = co_await file.move(Gfs::Direction::read, list, &missing);
    CHECK(read.error == Error::io_error);
  });
  // The fork of disk 0 has three pieces in one block, that of disk 1 one: five messages each.
  CHECK(messages == 10);
  CHECK(missing == std::vector<file_systems::galley::Extent>{{1024, 76}});
  for (const auto& [f_off, m_off, size] : list)
    CHECK(std::memcmp(rig.memory(0).data() + m_off, before.data() + f_off, static_cast<std::size_t>(size)) == 0);
}

TEST_CASE("a linear file answers each mistake with an error, and a read behind the end with out_of_file") {
  GalleyRig rig(1, 3);
  fill(rig.memory(0), 7);
  std::ranges::fill(rig.memory(0).subspan(1000, 100), std::byte{1});
  const auto before = copy(rig.memory(0));
  rig.run([&](Gfs& gfs, std::uint32_t) -> os::Task<> {
    LinearFile file(gfs, Declustering::cyclic(2, 100)), again(gfs, Declustering::cyclic(2, 100)),
        other(gfs, Declustering::cyclic(3, 100)), wide(gfs, Declustering::cyclic(4, 100)),
        narrow(gfs, Declustering::cyclic(1, 100));
    Answer a = co_await file.read(0, 0, 10);
    CHECK(a.error == Error::not_open);
    Error e = co_await file.extend(10);
    CHECK(e == Error::not_open);
    e = co_await file.open("file");
    CHECK(e == Error::no_such_file);
    e = co_await wide.create("wide");
    CHECK(e == Error::too_many_subfiles);
    e = co_await file.create("file");
    CHECK(e == Error::none);
    e = co_await again.create("file");
    CHECK(e == Error::exists);
    e = co_await other.open("file");
    CHECK(e == Error::bad_argument);
    e = co_await narrow.open("file");
    CHECK(e == Error::bad_argument);
    a = co_await narrow.read(0, 0, 1);
    CHECK(a.error == Error::not_open);
    a = co_await file.write(0, INT64_MAX, 1);
    CHECK(a.error == Error::overflow);
    a = co_await file.write(0, UINT64_MAX, 1);
    CHECK(a.error == Error::overflow);
    a = co_await file.write((64 << 10) - 10, 0, 11);
    CHECK(a.error == Error::out_of_memory);
    a = co_await file.write(UINT64_MAX, 0, 1);
    CHECK(a.error == Error::out_of_memory);
    CHECK(file.bytes() == 0);
    // Subfile 1 gets bytes 100 to 199, subfile 0 has none.
    a = co_await file.write(0, 100, 100);
    CHECK(a.bytes == 100);
    CHECK(file.bytes() == 200);
    e = co_await again.open("file");
    CHECK(again.bytes() == 200);
    a = co_await file.read(1000, 0, 10);
    CHECK(a.error == Error::out_of_file);
    a = co_await file.read(1000, 250, 10);
    CHECK(a.error == Error::out_of_file);
    a = co_await file.read(1000, 250, 0);
    CHECK(a.error == Error::none);
    CHECK(difference(rig.memory(0), before) == -1);
    e = co_await file.extend(200);
    CHECK(e == Error::none);
    a = co_await file.read(1000, 50, 50);
    CHECK(a.error == Error::none);
    e = co_await file.extend(std::uint64_t{1} << 63);
    CHECK(e == Error::overflow);
    e = co_await file.extend(1 << 20);
    CHECK(e == Error::no_space);
    a = co_await file.write(0, 1 << 20, 10);
    CHECK(a.error == Error::no_space);
  });
  auto expected = before;
  std::ranges::fill(std::span(expected).subspan(1000, 50), std::byte{0});
  CHECK(difference(rig.memory(0), expected) == -1);
}

// --- shifted blocks ---

namespace {

ShiftedBlocks shifted(std::uint32_t grid_rows, std::uint32_t grid_columns, std::uint64_t rows, std::uint64_t columns) {
  ShiftedBlocks layout;
  layout.grid_rows = grid_rows;
  layout.grid_columns = grid_columns;
  layout.rows = rows;
  layout.columns = columns;
  return layout;
}

/// The most and the fewest blocks that a disk has of a submatrix.
std::pair<int, int> spread(const ShiftedBlocks& layout, std::uint64_t i, std::uint64_t j, std::uint64_t rows,
                           std::uint64_t columns) {
  std::vector<int> blocks(layout.disks());
  for (std::uint64_t r = 0; r < rows; ++r)
    for (std::uint64_t c = 0; c < columns; ++c) ++blocks[layout.disk_of(i + r, j + c)];
  return {*std::ranges::max_element(blocks), *std::ranges::min_element(blocks)};
}

}  // namespace

TEST_CASE("the shifted layout of six disks in a 2-by-3 grid is Figure 1 of the Galley paper") {
  constexpr std::uint32_t figure[6][12] = {{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}, {4, 5, 6, 1, 2, 3, 4, 5, 6, 1, 2, 3},
                                           {3, 1, 2, 6, 4, 5, 3, 1, 2, 6, 4, 5}, {6, 4, 5, 3, 1, 2, 6, 4, 5, 3, 1, 2},
                                           {2, 3, 1, 5, 6, 4, 2, 3, 1, 5, 6, 4}, {5, 6, 4, 2, 3, 1, 5, 6, 4, 2, 3, 1}};
  const ShiftedBlocks layout = shifted(2, 3, 6, 12);
  for (std::uint64_t i = 0; i < 6; ++i)
    for (std::uint64_t j = 0; j < 12; ++j) {
      INFO(i << ", " << j);
      CHECK(layout.disk_of(i, j) + 1 == figure[i][j]);
    }
  // Four tiles in each of three rows; block (3, 7) is in the second row's third.
  CHECK(layout.slots() == 12);
  CHECK(layout.slot_of(3, 7) == 4 + 2);
}

TEST_CASE("each row, column and tile of the shifted layout spreads over all disks, each block in a place of its own") {
  for (std::uint32_t grid_rows = 1; grid_rows <= 4; ++grid_rows)
    for (std::uint32_t grid_columns = 1; grid_columns <= 5; ++grid_columns) {
      const std::uint32_t disks = grid_rows * grid_columns;
      const ShiftedBlocks layout = shifted(grid_rows, grid_columns, disks * 2, disks * 3);
      const std::pair once{1, 1};
      for (std::uint64_t i = 0; i < layout.rows; ++i) {
        CHECK(spread(layout, i, 0, 1, layout.columns) == std::pair{3, 3});
        for (std::uint64_t j = 0; j + disks <= layout.columns; ++j) CHECK(spread(layout, i, j, 1, disks) == once);
      }
      for (std::uint64_t j = 0; j < layout.columns; ++j) {
        CHECK(spread(layout, 0, j, layout.rows, 1) == std::pair{2, 2});
        for (std::uint64_t i = 0; i + disks <= layout.rows; ++i) CHECK(spread(layout, i, j, disks, 1) == once);
      }
      for (std::uint64_t i = 0; i < layout.rows; i += grid_rows)
        for (std::uint64_t j = 0; j < layout.columns; j += grid_columns)
          CHECK(spread(layout, i, j, grid_rows, grid_columns) == once);
      // A matrix that ends inside tiles has empty places, but no place has two blocks.
      const ShiftedBlocks ragged = shifted(grid_rows, grid_columns, 7, 11);
      std::set<std::pair<std::uint32_t, std::uint64_t>> places;
      for (std::uint64_t i = 0; i < 7; ++i)
        for (std::uint64_t j = 0; j < 11; ++j) {
          CHECK(ragged.slot_of(i, j) < ragged.slots());
          CHECK(places.emplace(ragged.disk_of(i, j), ragged.slot_of(i, j)).second);
        }
    }
}

TEST_CASE("a shifted matrix gives back rows, columns and rectangles of blocks as they were written") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    RandomStream random(seed, "matrix");
    const ShiftedBlocks layout =
        seed == 1 ? shifted(2, 3, 6, 12)
                  : shifted(static_cast<std::uint32_t>(1 + random.below(2)),
                            static_cast<std::uint32_t>(1 + random.below(3)), 1 + random.below(8), 1 + random.below(9));
    const std::uint64_t block = 1 + random.below(300), m = layout.rows, n = layout.columns;
    GalleyRig rig(2, 6);
    fill(rig.memory(0), seed);
    auto memory = copy(rig.memory(0));
    std::vector<std::byte> model(m * n * block);
    std::uint32_t ready = 0;
    rig.run([&](Gfs& gfs, std::uint32_t p) -> os::Task<> {
      ShiftedMatrix matrix(gfs, layout, block);
      if (p == 1) {
        co_await wait_until(gfs, ready, 1);
        const Error opened = co_await matrix.open("matrix");
        CHECK(opened == Error::none);
        for (std::uint64_t i = 0; i < m; ++i) {
          const Answer row = co_await matrix.read_row(i * n * block, i);
          CHECK(row.bytes == n * block);
        }
        co_return;
      }
      const Error created = co_await matrix.create("matrix", 4);
      CHECK(created == Error::none);
      for (int call = 0; call < 30; ++call) {
        std::uint64_t i = random.below(m), j = random.below(n), rows = 1 + random.below(m - i),
                      columns = 1 + random.below(n - j);
        const std::uint64_t place = random.below(30000);
        const bool writes = random.below(2) == 0;
        const std::uint64_t form = random.below(3);
        if (form == 1) j = 0, rows = 1, columns = n;
        if (form == 2) i = 0, rows = m, columns = 1;
        Answer answer;
        if (form == 0 && writes) answer = co_await matrix.write(place, i, j, rows, columns);
        if (form == 0 && !writes) answer = co_await matrix.read(place, i, j, rows, columns);
        if (form == 1 && writes) answer = co_await matrix.write_row(place, i);
        if (form == 1 && !writes) answer = co_await matrix.read_row(place, i);
        if (form == 2 && writes) answer = co_await matrix.write_column(place, j);
        if (form == 2 && !writes) answer = co_await matrix.read_column(place, j);
        REQUIRE(answer.error == Error::none);
        CHECK(answer.bytes == rows * columns * block);
        for (std::uint64_t r = 0; r < rows; ++r)
          for (std::uint64_t c = 0; c < columns; ++c) {
            std::byte* const in_model = model.data() + ((i + r) * n + j + c) * block;
            std::byte* const in_memory = memory.data() + place + (r * columns + c) * block;
            std::memcpy(writes ? in_model : in_memory, writes ? in_memory : in_model, block);
          }
        REQUIRE(difference(rig.memory(0), memory) == -1);
      }
      ready = 1;
    });
    CHECK(difference(rig.memory(1).first(model.size()), model) == -1);
  }
}

TEST_CASE("a row of a shifted matrix comes from all disks at the same time") {
  // A row of Figure 1 has two blocks on each of the six disks. Each block is a block of the disk, and a disk command
  // takes 1 ms: one disk after the other would take 12 ms.
  GalleyRig rig(1, 6);
  rig.params.cache_blocks = 4;
  Duration took{};
  rig.run([&](Gfs& gfs, std::uint32_t) -> os::Task<> {
    ShiftedMatrix matrix(gfs, shifted(2, 3, 6, 12), GalleyRig::block);
    co_await matrix.create("matrix");
    for (std::uint64_t i = 0; i < 6; ++i) co_await matrix.write_row(0, i);
    co_await gfs.gfs_sync();
    const Time start = gfs.os().now();
    const Answer row = co_await matrix.read_row(0, 0);
    CHECK(row.bytes == 12 * 1024);
    took = gfs.os().now() - start;
  });
  CHECK(took > std::chrono::milliseconds{1});
  CHECK(took < std::chrono::milliseconds{4});
}

TEST_CASE("a shifted matrix answers each mistake with an error") {
  GalleyRig rig(1, 6);
  rig.run([&](Gfs& gfs, std::uint32_t) -> os::Task<> {
    ShiftedMatrix matrix(gfs, shifted(2, 3, 6, 12), 100);
    Answer a = co_await matrix.read(0, 0, 0, 1, 1);
    CHECK(a.error == Error::not_open);
    Error e = co_await matrix.open("matrix");
    CHECK(e == Error::no_such_file);
    for (const ShiftedBlocks& layout :
         {shifted(0, 3, 6, 12), shifted(2, 0, 6, 12), shifted(2, 3, 0, 12), shifted(2, 3, 6, 0)}) {
      ShiftedMatrix bad(gfs, layout, 100);
      e = co_await bad.create("bad");
      CHECK(e == Error::bad_argument);
    }
    ShiftedMatrix no_block(gfs, shifted(2, 3, 6, 12), 0);
    e = co_await no_block.create("bad");
    CHECK(e == Error::bad_argument);
    ShiftedMatrix large(gfs, shifted(2, 3, UINT64_MAX, UINT64_MAX), 100);
    e = co_await large.create("bad");
    CHECK(e == Error::overflow);
    ShiftedMatrix long_blocks(gfs, shifted(2, 3, 6, 12), UINT64_MAX / 70);
    e = co_await long_blocks.open("bad");
    CHECK(e == Error::overflow);
    ShiftedMatrix wide(gfs, shifted(2, 4, 6, 12), 100);
    e = co_await wide.create("bad");
    CHECK(e == Error::too_many_subfiles);
    ShiftedMatrix widest(gfs, shifted(UINT32_MAX, UINT32_MAX, 6, 12), 100);
    e = co_await widest.create("bad");
    CHECK(e == Error::too_many_subfiles);
    ShiftedMatrix too_much(gfs, shifted(2, 3, 6, 12), 1 << 20);
    e = co_await too_much.create("too much");
    CHECK(e == Error::no_space);
    e = co_await matrix.create("matrix");
    CHECK(e == Error::none);
    e = co_await matrix.create("matrix");
    CHECK(e == Error::exists);
    for (const ShiftedBlocks& layout : {shifted(1, 3, 6, 12), shifted(2, 3, 6, 15)}) {
      ShiftedMatrix other(gfs, layout, 100);
      e = co_await other.open("matrix");
      CHECK(e == Error::bad_argument);
    }
    ShiftedMatrix other_blocks(gfs, shifted(2, 3, 6, 12), 101);
    e = co_await other_blocks.open("matrix");
    CHECK(e == Error::bad_argument);
    a = co_await matrix.read(0, 5, 0, 2, 1);
    CHECK(a.error == Error::out_of_file);
    a = co_await matrix.read(0, 0, 13, 1, 0);
    CHECK(a.error == Error::out_of_file);
    a = co_await matrix.read_row(0, 6);
    CHECK(a.error == Error::out_of_file);
    a = co_await matrix.write_column(0, 12);
    CHECK(a.error == Error::out_of_file);
    a = co_await matrix.write(65536 - 199, 0, 0, 2, 1);
    CHECK(a.error == Error::out_of_memory);
    a = co_await matrix.write(0, 6, 12, 0, 0);
    CHECK(a.error == Error::none);
  });
}
