// SPDX-License-Identifier: MIT
// The libraries on top of Galley, on nodes without a kernel.
#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

#include "examples/galley/chunked_array.h"
#include "examples/galley/crc.h"
#include "examples/galley/run_length.h"
#include "examples/galley/shifted_blocks.h"
#include "examples/galley/shifted_matrix.h"
#include "examples/galley/vesta_file.h"
#include "examples/galley/vesta_view.h"
#include "models/core/random.h"
#include "sw/file_systems/galley/libraries/declustering.h"
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

std::vector<std::byte> bytes_of(std::initializer_list<unsigned> values) {
  std::vector<std::byte> all;
  for (const unsigned v : values) all.push_back(static_cast<std::byte>(v));
  return all;
}

}  // namespace

// --- linear files ---

TEST_CASE("a cyclic declustering deals its units out to the subfiles in turn, whatever their size") {
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

// --- Vesta ---

TEST_CASE("a Vesta partition is what its four parameters say") {
  // Hbs = 2, Hn = 2: of five cells, 0, 1 and 4 belong to the left partitions, 2 and 3 to the right ones.
  // Vbs = 2, Vn = 2: rows 2, 3, 6, 7, 10, 11, ... belong to the lower partitions.
  VestaView view;
  view.hbs = view.vbs = view.hn = view.vn = 2;
  const VestaPartition lower_left(view, 5, 0, 1), upper_right(view, 5, 1, 0);
  CHECK(lower_left.cells() == 3);
  CHECK(upper_right.cells() == 2);
  CHECK(lower_left.cell(2) == 4);
  CHECK(upper_right.cell(1) == 3);
  using Place = VestaPartition::Place;
  const Place places[] = {{0, 2}, {0, 3}, {1, 2}, {1, 3}, {4, 2}, {4, 3}, {0, 6}, {0, 7}, {1, 6}};
  for (std::uint64_t position = 0; position < std::size(places); ++position)
    CHECK(lower_left.place(position) == places[position]);
  // Positions 1 to 12: cell 0 has 1, then 6 and 7, then 12.
  const VestaPartition::Strips cut{{3, 1, 1, 1}, {6, 6, 2, 1}, {10, 12, 1, 1}};
  CHECK(lower_left.strips(0, 1, 12) == cut);
  // Positions 0 to 17 are three whole blocks, 4 rows and 6 positions apart.
  const VestaPartition::Strips whole{{2, 4, 2, 3}};
  CHECK(lower_left.strips(2, 0, 18) == whole);
  CHECK(lower_left.row_stride() == 4);
  CHECK(lower_left.position_stride() == 6);
  CHECK(lower_left.strips(1, 0, 2).empty());
  CHECK(lower_left.strips(1, 4, 4).empty());
  CHECK(lower_left.strips(1, 3, 0).empty());
  const VestaPartition::Strips inside{{3, 3, 1, 1}};
  CHECK(lower_left.strips(1, 3, 1) == inside);
  // Vbs = 1 and one partition: the file is striped over its cells.
  VestaView striped;
  striped.hbs = 5;
  const VestaPartition all(striped, 5, 0, 0);
  for (std::uint64_t position = 0; position < 20; ++position)
    CHECK(all.place(position) == Place{static_cast<std::uint32_t>(position % 5), position / 5});
  // More partitions beside each other than cells: some have none.
  VestaView wide;
  wide.hn = 7;
  CHECK(VestaPartition(wide, 5, 4, 0).cells() == 1);
  CHECK(VestaPartition(wide, 5, 5, 0).cells() == 0);
}

namespace {

VestaView random_view(RandomStream& random) {
  VestaView view;
  view.hbs = static_cast<std::uint32_t>(1 + random.below(4));
  view.vbs = static_cast<std::uint32_t>(1 + random.below(5));
  view.hn = static_cast<std::uint32_t>(1 + random.below(4));
  view.vn = static_cast<std::uint32_t>(1 + random.below(4));
  return view;
}

/// The BSUs of a partition in its order, down to a row of the file, by the words of the definition.
std::vector<VestaPartition::Place> direct(const VestaView& view, std::uint32_t cells, std::uint32_t h, std::uint32_t v,
                                          std::uint64_t rows) {
  std::vector<VestaPartition::Place> order;
  for (std::uint64_t top = std::uint64_t{v} * view.vbs; top < rows; top += std::uint64_t{view.vbs} * view.vn)
    for (std::uint32_t cell = 0; cell < cells; ++cell) {
      if (cell / view.hbs % view.hn != h) continue;
      for (std::uint64_t row = top; row < top + view.vbs; ++row) {
        VestaPartition::Place place;
        place.cell = cell;
        place.row = row;
        order.push_back(place);
      }
    }
  return order;
}

}  // namespace

TEST_CASE("the partitions of any Vesta view cover the file exactly once, and strips name what the positions say") {
  RandomStream random(3, "views");
  for (int i = 0; i < 200; ++i) {
    const VestaView view = random_view(random);
    const auto cells = static_cast<std::uint32_t>(1 + random.below(9));
    const std::uint64_t rows = std::uint64_t{view.vbs} * view.vn * (1 + random.below(4));
    std::map<std::pair<std::uint32_t, std::uint64_t>, int> covered;
    for (std::uint32_t h = 0; h < view.hn; ++h)
      for (std::uint32_t v = 0; v < view.vn; ++v) {
        const VestaPartition partition(view, cells, h, v);
        const auto order = direct(view, cells, h, v, rows);
        for (std::uint64_t position = 0; position < order.size(); ++position) {
          REQUIRE(partition.place(position) == order[position]);
          ++covered[{order[position].cell, order[position].row}];
        }
        if (order.empty()) continue;
        const std::uint64_t first = random.below(order.size()), count = random.below(order.size() - first + 1);
        std::set<std::uint64_t> named;
        for (std::uint32_t mine = 0; mine < partition.cells(); ++mine)
          for (const VestaPartition::Strip& strip : partition.strips(mine, first, count))
            for (std::uint64_t r = 0; r < strip.repetitions; ++r)
              for (std::uint64_t b = 0; b < strip.bsus; ++b) {
                const std::uint64_t position = strip.position + r * partition.position_stride() + b;
                REQUIRE(position >= first);
                REQUIRE(position < first + count);
                CHECK(named.insert(position).second);
                CHECK(partition.cell(mine) == order[position].cell);
                CHECK(strip.row + r * partition.row_stride() + b == order[position].row);
              }
        CHECK(named.size() == count);
      }
    CHECK(covered.size() == cells * rows);
    CHECK(std::ranges::all_of(covered, [](const auto& c) { return c.second == 1; }));
  }
}

TEST_CASE("a Vesta file written through one view and read through another is the same file") {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream random(seed, "vesta");
    const auto cells = static_cast<std::uint32_t>(1 + random.below(9)),
               bsu = static_cast<std::uint32_t>(1 + random.below(70)),
               subfiles = static_cast<std::uint32_t>(1 + random.below(3));
    const VestaView written = random_view(random), read = random_view(random);
    const std::uint64_t rows = std::uint64_t{written.vbs} * written.vn * (1 + random.below(2));
    GalleyRig rig(2, 3);
    std::vector<std::vector<std::byte>> model(cells, std::vector<std::byte>(rows * bsu));
    const Scratch scratch{60000, 100};
    std::uint32_t ready = 0;
    rig.run([&](Gfs& gfs, std::uint32_t p) -> os::Task<> {
      VestaFile file(gfs, scratch);
      if (p == 0) {
        const Error created = co_await file.create("field", cells, bsu, subfiles, 1);
        REQUIRE(created == Error::none);
        for (std::uint32_t h = 0; h < written.hn; ++h)
          for (std::uint32_t v = 0; v < written.vn; ++v) {
            const VestaPartition partition = file.partition(written, h, v);
            const auto order = direct(written, cells, h, v, rows);
            fill(rig.memory(0).first(40000), seed * 100 + h * 10 + v);
            // In two runs, which cut blocks.
            const std::uint64_t first = random.below(order.size() + 1);
            const Answer one = co_await file.write(partition, 11, 0, first);
            const Answer two = co_await file.write(partition, 11 + first * bsu, first, order.size() - first);
            REQUIRE(one.error == Error::none);
            REQUIRE(two.error == Error::none);
            CHECK(one.bytes + two.bytes == order.size() * bsu);
            for (std::size_t i = 0; i < order.size(); ++i)
              std::memcpy(model[order[i].cell].data() + order[i].row * bsu, rig.memory(0).data() + 11 + i * bsu, bsu);
          }
        ready = 1;
        co_return;
      }
      co_await wait_until(gfs, ready, 1);
      const Error opened = co_await file.open("field");
      REQUIRE(opened == Error::none);
      CHECK(file.cells() == cells);
      CHECK(file.bsu_bytes() == bsu);
      for (std::uint32_t h = 0; h < read.hn; ++h)
        for (std::uint32_t v = 0; v < read.vn; ++v) {
          const VestaPartition partition = file.partition(read, h, v);
          auto order = direct(read, cells, h, v, rows);
          // The written rows may end inside a block of this view.
          order.erase(std::ranges::find_if(order, [&](const auto& place) { return place.row >= rows; }), order.end());
          const std::uint64_t first = random.below(order.size() + 1), count = order.size() - first;
          const Answer answer = co_await file.read(partition, 3, first, count);
          INFO("seed " << seed << ", partition " << h << ", " << v);
          REQUIRE(answer.error == Error::none);
          CHECK(answer.bytes == count * bsu);
          for (std::uint64_t i = 0; i < count; ++i) {
            const VestaPartition::Place place = order[first + i];
            REQUIRE(std::memcmp(model[place.cell].data() + place.row * bsu, rig.memory(1).data() + 3 + i * bsu, bsu) ==
                    0);
            ++compared;
          }
        }
    });
    for (std::uint32_t cell = 0; cell < cells; ++cell)
      CHECK(difference(rig.on_disk("field", cell % subfiles, VestaFile::cell_name(cell)), model[cell]) == -1);
  }
  CHECK(compared > 500);
}

TEST_CASE("a Vesta file answers each mistake with an error, and a changed meta fork with damaged") {
  GalleyRig rig(1, 2);
  rig.run([&](Gfs& gfs, std::uint32_t) -> os::Task<> {
    const Scratch scratch{60000, VestaFile::meta_bytes}, too_small{60000, VestaFile::meta_bytes - 1},
        outside{65530, 100};
    VestaFile file(gfs, scratch), no_room(gfs, too_small), no_memory(gfs, outside);
    const VestaView view;
    const VestaPartition of_three(view, 3, 0, 0), of_four(view, 4, 0, 0);
    Answer a = co_await file.read(of_three, 0, 0, 1);
    CHECK(a.error == Error::not_open);
    Error e = co_await file.open("field");
    CHECK(e == Error::no_such_file);
    e = co_await file.create("field", 0, 10, 2);
    CHECK(e == Error::bad_argument);
    e = co_await file.create("field", 3, 0, 2);
    CHECK(e == Error::bad_argument);
    e = co_await file.create("field", 3, 10, 0);
    CHECK(e == Error::bad_argument);
    e = co_await file.create("field", 3, 10, 3);
    CHECK(e == Error::too_many_subfiles);
    e = co_await no_room.create("field", 3, 10, 2);
    CHECK(e == Error::out_of_memory);
    e = co_await no_memory.create("field", 3, 10, 2);
    CHECK(e == Error::out_of_memory);
    e = co_await file.create("field", 3, 10, 2);
    CHECK(e == Error::none);
    e = co_await file.create("field", 3, 10, 2);
    CHECK(e == Error::exists);
    e = co_await no_room.open("field");
    CHECK(e == Error::out_of_memory);
    a = co_await file.write(of_four, 0, 0, 1);
    CHECK(a.error == Error::bad_argument);
    a = co_await file.read(of_three, 0, 0, 1);
    CHECK(a.error == Error::out_of_file);
    VestaView wide;
    wide.hn = 4;
    const VestaPartition empty = file.partition(wide, 3, 0);
    a = co_await file.write(empty, 0, 0, 1);
    CHECK(a.error == Error::out_of_file);
    a = co_await file.write(empty, 0, 0, 0);
    CHECK(a.error == Error::none);
    a = co_await file.write(of_three, 65530, 0, 1);
    CHECK(a.error == Error::out_of_memory);
    a = co_await file.write(of_three, 0, 0, UINT64_MAX / 5);
    CHECK(a.error == Error::out_of_memory);
    a = co_await file.write(of_three, 0, UINT64_MAX, 1);
    CHECK(a.error == Error::overflow);
    a = co_await file.write(of_three, 0, INT64_MAX, 1);
    CHECK(a.error == Error::overflow);
    VestaView tall;
    tall.vbs = tall.vn = UINT32_MAX;
    const VestaPartition far = file.partition(tall, 0, 0);
    a = co_await file.write(far, 0, std::uint64_t{1} << 40, 1);
    CHECK(a.error == Error::overflow);
    a = co_await file.write(of_three, 0, 1 << 20, 1);
    CHECK(a.error == Error::no_space);
    // The meta fork with a byte changed, then too long, then gone.
    const Answer number = co_await gfs.gfs_open("field");
    const Answer meta = co_await gfs.gfs_open_fork(number.number, 0, VestaFile::meta_name);
    CHECK(meta.bytes == VestaFile::meta_bytes);
    rig.memory(0)[0] = std::byte{4};
    co_await gfs.gfs_write(meta.number, 0, 4, 1);
    e = co_await file.open("field");
    CHECK(e == Error::damaged);
    rig.memory(0)[0] = std::byte{3};
    co_await gfs.gfs_write(meta.number, 0, 4, 1);
    e = co_await file.open("field");
    CHECK(e == Error::none);
    co_await gfs.gfs_extend(meta.number, 17);
    e = co_await file.open("field");
    CHECK(e == Error::damaged);
    co_await gfs.gfs_delete_fork(number.number, 0, VestaFile::meta_name);
    e = co_await file.open("field");
    CHECK(e == Error::no_such_fork);
  });
}

// --- chunked arrays ---

TEST_CASE("the run-length code stores runs in two bytes and the rest as it is, with a byte before it") {
  std::vector<std::byte> code(100);
  const auto encoded = [&](const std::vector<std::byte>& from) {
    const auto length = run_length_encode(from, code);
    REQUIRE(length);
    return std::vector<std::byte>(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(*length));
  };
  // Five times 9 is 128 + 5 - 3; two equal bytes are no run.
  CHECK(encoded(bytes_of({9, 9, 9, 9, 9, 1, 1, 2})) == bytes_of({130, 9, 2, 1, 1, 2}));
  CHECK(encoded({}).empty());
  // 300 = 130 + 130 + 40.
  CHECK(encoded(std::vector<std::byte>(300)) == bytes_of({255, 0, 255, 0, 165, 0}));
  std::vector<std::byte> short_code(5);
  CHECK_FALSE(run_length_encode(bytes_of({9, 9, 9, 9, 9, 1, 1, 2}), short_code));
  CHECK_FALSE(run_length_encode(std::vector<std::byte>(300), short_code));
}

TEST_CASE("the run-length code gives back any bytes, and a broken code is found") {
  RandomStream random(1, "runs");
  for (int i = 0; i < 300; ++i) {
    std::vector<std::byte> bytes, code(3000), back;
    while (bytes.size() < 1500 && random.below(20) != 0)
      bytes.insert(bytes.end(), 1 + random.below(random.below(3) == 0 ? 300 : 3), std::byte(random.below(3)));
    const auto length = run_length_encode(bytes, code);
    REQUIRE(length);
    CHECK(*length <= bytes.size() + bytes.size() / 128 + 1);
    back.resize(bytes.size());
    CHECK(run_length_decode(std::span(code).first(*length), back));
    CHECK(difference(back, bytes) == -1);
    if (bytes.empty()) continue;
    CHECK_FALSE(run_length_decode(std::span(code).first(*length - 1), back));
    CHECK_FALSE(run_length_decode(std::span(code).first(*length), std::span(back).first(bytes.size() - 1)));
    back.resize(bytes.size() + 1);
    CHECK_FALSE(run_length_decode(std::span(code).first(*length), back));
    // Any bytes are decoded without harm.
    for (std::byte& b : code) b = static_cast<std::byte>(random.below(256));
    run_length_decode(std::span(code).first(random.below(200)), back);
  }
}

namespace {

/// Chunk `number`, version `version`: some bytes of noise among zeros; a few chunks are all noise.
std::vector<std::byte> chunk_bytes(std::uint64_t number, std::uint64_t version) {
  RandomStream random(number * 10 + version, "chunk");
  std::vector<std::byte> bytes(1 + random.below(900));
  const std::uint64_t noise = number % 4 == 3 ? bytes.size() : random.below(bytes.size() / 2 + 1);
  fill(std::span(bytes).first(noise), number + version);
  return bytes;
}

}  // namespace

TEST_CASE("chunks written by one processor a subfile, some of them twice, are read in the order of the array") {
  constexpr std::uint32_t processors = 3;
  constexpr std::uint64_t chunks = 20;
  GalleyRig rig(processors, 3);
  std::vector<std::byte> expected;
  for (std::uint64_t c = 0; c < chunks; ++c) {
    const auto bytes = chunk_bytes(c, c % 5 == 0 ? 1 : 0);
    expected.insert(expected.end(), bytes.begin(), bytes.end());
  }
  std::uint32_t ready = 0;
  std::uint64_t stored = 0, written = 0;
  const ChunkedArray::Cost cost;
  rig.run([&](Gfs& gfs, std::uint32_t p) -> os::Task<> {
    // The more scratch, the fewer requests; results are the same.
    const Scratch scratch{40000, 700 + 4000 * p};
    ChunkedArray array(gfs, scratch, cost);
    if (p == 0) {
      const Error created = co_await array.create("array", chunks, processors, 1);
      CHECK(created == Error::none);
      ready = 1;
    } else {
      co_await wait_until(gfs, ready, 1);
      const Error opened = co_await array.open("array");
      CHECK(opened == Error::none);
      CHECK(array.chunks() == chunks);
    }
    for (std::uint64_t version = 0; version < 2; ++version)
      for (std::uint64_t c = p; c < chunks; c += processors) {
        if (version == 1 && c % 5 != 0) continue;
        const auto bytes = chunk_bytes(c, version);
        std::ranges::copy(bytes, rig.memory(p).begin() + 77);
        const Answer answer = co_await array.write(c, 77, bytes.size());
        REQUIRE(answer.error == Error::none);
        CHECK(answer.bytes <= bytes.size());
        if (c % 4 == 3) CHECK(answer.bytes == bytes.size());
        stored += answer.bytes;
        written += bytes.size();
        const Answer read = co_await array.read(c, 10000);
        REQUIRE(read.error == Error::none);
        CHECK(read.bytes == bytes.size());
        CHECK(difference(rig.memory(p).subspan(10000, bytes.size()), bytes) == -1);
      }
    ++ready;
    co_await wait_until(gfs, ready, 1 + processors);
    const Error opened = co_await array.open("array");
    CHECK(opened == Error::none);
    const Answer all = co_await array.read_all(20000);
    CHECK(all.error == Error::none);
    CHECK(all.bytes == expected.size());
  });
  for (std::uint32_t p = 0; p < processors; ++p)
    CHECK(difference(rig.memory(p).subspan(20000, expected.size()), expected) == -1);
  CHECK(stored < written * 3 / 4);
  std::uint64_t on_disks = 0;
  for (std::uint32_t s = 0; s < processors; ++s) {
    on_disks += rig.on_disk("array", s, ChunkedArray::data_name).size();
    CHECK(rig.on_disk("array", s, ChunkedArray::index_name).size() == (s == 2 ? 6u : 7u) * 24);
  }
  CHECK(on_disks == stored);
}

TEST_CASE("a chunk of 1000 zeros takes 16 bytes, its index entry 24, and the processor the cycles that were stated") {
  // 1000 = 7 * 130 + 90: eight runs of two bytes. A cycle is 1 ns.
  Duration took[2][2];
  for (const bool free : {true, false}) {
    GalleyRig rig(1, 1);
    rig.run([&](Gfs& gfs, std::uint32_t) -> os::Task<> {
      ChunkedArray::Cost cost;
      cost.compress.count = free ? 0 : 100;
      cost.decompress.count = free ? 0 : 30;
      const Scratch scratch{60000, 1000};
      ChunkedArray array(gfs, scratch, cost);
      co_await array.create("array", 1, 1);
      std::ranges::fill(rig.memory(0).first(3000), std::byte{0});
      const Time start = gfs.os().now();
      const Answer written = co_await array.write(0, 0, 1000);
      CHECK(written.bytes == 16);
      const Time middle = gfs.os().now();
      const Answer read = co_await array.read(0, 2000);
      CHECK(read.bytes == 1000);
      took[free][0] = middle - start;
      took[free][1] = gfs.os().now() - middle;
    });
    std::vector<std::byte> data;
    for (int run = 0; run < 7; ++run) {
      data.push_back(std::byte{255});
      data.push_back(std::byte{0});
    }
    data.push_back(std::byte{128 + 90 - 3});
    data.push_back(std::byte{0});
    CHECK(rig.on_disk("array", 0, ChunkedArray::data_name) == data);
    auto entry = bytes_of({0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0xe8, 3, 0, 0});
    const auto add = [&](std::uint32_t number) {
      for (int i = 0; i < 4; ++i) entry.push_back(static_cast<std::byte>(number >> (8 * i)));
    };
    add(crc32(data));
    add(crc32(entry));
    CHECK(rig.on_disk("array", 0, ChunkedArray::index_name) == entry);
  }
  CHECK(took[0][0] - took[1][0] == std::chrono::microseconds{100});
  CHECK(took[0][1] - took[1][1] == std::chrono::microseconds{30});
}

TEST_CASE("a chunked array answers each mistake with an error, and damage with an error of its own") {
  GalleyRig rig(1, 2);
  const ChunkedArray::Cost cost;
  rig.run([&](Gfs& gfs, std::uint32_t) -> os::Task<> {
    const Scratch scratch{60000, 1000}, tiny{60000, 48}, outside{65000, 1000}, none{60000, 23}, narrow{60000, 24};
    ChunkedArray array(gfs, scratch, cost), small(gfs, tiny, cost), wrong(gfs, outside, cost), no_room(gfs, none, cost),
        for_one(gfs, narrow, cost);
    Answer a = co_await array.read(0, 0);
    CHECK(a.error == Error::not_open);
    a = co_await array.read_all(0);
    CHECK(a.error == Error::not_open);
    a = co_await array.write(0, 0, 1);
    CHECK(a.error == Error::not_open);
    Error e = co_await array.open("array");
    CHECK(e == Error::no_such_file);
    e = co_await array.create("array", 0, 2);
    CHECK(e == Error::bad_argument);
    e = co_await array.create("array", 4, 0);
    CHECK(e == Error::bad_argument);
    e = co_await array.create("array", UINT64_MAX, 2);
    CHECK(e == Error::bad_argument);
    e = co_await array.create("array", 4, 3);
    CHECK(e == Error::too_many_subfiles);
    e = co_await wrong.create("array", 4, 2);
    CHECK(e == Error::out_of_memory);
    e = co_await no_room.create("array", 4, 2);
    CHECK(e == Error::out_of_memory);
    e = co_await array.create("large", 1 << 20, 2);
    CHECK(e == Error::no_space);
    e = co_await array.create("array", 4, 2);
    CHECK(e == Error::none);
    e = co_await array.create("array", 4, 2);
    CHECK(e == Error::exists);
    e = co_await wrong.open("array");
    CHECK(e == Error::out_of_memory);
    e = co_await for_one.open("array");
    CHECK(e == Error::out_of_memory);
    a = co_await array.read(4, 0);
    CHECK(a.error == Error::bad_argument);
    a = co_await array.write(4, 0, 1);
    CHECK(a.error == Error::bad_argument);
    a = co_await array.write(0, 0, std::uint64_t{1} << 32);
    CHECK(a.error == Error::bad_argument);
    a = co_await array.write(0, 65000, 1000);
    CHECK(a.error == Error::out_of_memory);
    a = co_await array.read(0, 0);
    CHECK(a.error == Error::out_of_file);
    // Chunks 0 and 2 lie in subfile 0, 1 and 3 in subfile 1. Chunk 1 is noise, the others compress.
    fill(rig.memory(0).first(500), 9);
    std::ranges::fill(rig.memory(0).subspan(500, 4000), std::byte{0});
    const auto content = copy(rig.memory(0).first(1000));
    a = co_await array.write(0, 400, 600);
    CHECK(a.error == Error::none);
    a = co_await array.write(1, 0, 500);
    CHECK(a.bytes == 500);
    a = co_await array.write(2, 400, 600);
    a = co_await array.read_all(20000);
    CHECK(a.error == Error::out_of_file);
    a = co_await array.write(3, 500, 0);
    CHECK(a.error == Error::none);
    a = co_await array.read_all(20000);
    CHECK(a.error == Error::none);
    CHECK(a.bytes == 1700);
    CHECK(difference(rig.memory(0).subspan(20000 + 600, 500), std::span(content).first(500)) == -1);
    a = co_await array.read_all(65536 - 1699);
    CHECK(a.error == Error::out_of_memory);
    a = co_await array.read(1, 65536 - 499);
    CHECK(a.error == Error::out_of_memory);
    // With less scratch than a compressed chunk needs, only the others can be read.
    e = co_await small.open("array");
    CHECK(e == Error::none);
    a = co_await small.read(0, 30000);
    CHECK(a.error == Error::out_of_memory);
    a = co_await small.read(1, 30000);
    CHECK(a.bytes == 500);
    // A byte of data changes: of chunk 0, which is compressed, and of chunk 1, which is not.
    const Answer file = co_await gfs.gfs_open("array");
    const Answer data0 = co_await gfs.gfs_open_fork(file.number, 0, ChunkedArray::data_name);
    const Answer data1 = co_await gfs.gfs_open_fork(file.number, 1, ChunkedArray::data_name);
    const Answer index0 = co_await gfs.gfs_open_fork(file.number, 0, ChunkedArray::index_name);
    co_await gfs.gfs_write(data0.number, 700, 30, 1);
    co_await gfs.gfs_write(data1.number, 700, 30, 1);
    a = co_await array.read(0, 30000);
    CHECK(a.error == Error::damaged);
    a = co_await array.read(1, 30000);
    CHECK(a.error == Error::damaged);
    a = co_await array.read_all(30000);
    CHECK(a.error == Error::damaged);
    a = co_await array.read(2, 30000);
    CHECK(a.bytes == 600);
    a = co_await array.write(0, 400, 600);
    a = co_await array.write(1, 0, 500);
    a = co_await array.read_all(30000);
    CHECK(a.bytes == 1700);
    // A byte of the index entry of chunk 2 changes; the others can still be read, and chunk 2 written again.
    co_await gfs.gfs_write(index0.number, 0, 24 + 3, 1);
    e = co_await array.open("array");
    CHECK(e == Error::none);
    a = co_await array.read(2, 30000);
    CHECK(a.error == Error::damaged);
    a = co_await array.read_all(30000);
    CHECK(a.error == Error::damaged);
    a = co_await array.read(0, 30000);
    CHECK(a.bytes == 600);
    a = co_await array.write(2, 400, 600);
    a = co_await array.read_all(30000);
    CHECK(a.bytes == 1700);
    // An entry in order, but the code that it names stands for fewer bytes.
    const auto code = bytes_of({130, 7});
    std::vector<std::byte> entry(24);
    entry[8] = std::byte{2};
    entry[12] = std::byte{9};
    const auto put = [&](std::size_t at, std::uint32_t number) {
      for (std::size_t i = 0; i < 4; ++i) entry[at + i] = static_cast<std::byte>(number >> (8 * i));
    };
    put(16, crc32(code));
    put(20, crc32(std::span(entry).first(20)));
    std::ranges::copy(code, rig.memory(0).begin());
    std::ranges::copy(entry, rig.memory(0).begin() + 100);
    co_await gfs.gfs_write(data0.number, 0, 0, 2);
    co_await gfs.gfs_write(index0.number, 100, 0, 24);
    e = co_await array.open("array");
    a = co_await array.read(0, 30000);
    CHECK(a.error == Error::damaged);
    // One that names bytes behind the end of the data.
    put(0, 1 << 20);
    put(20, crc32(std::span(entry).first(20)));
    std::ranges::copy(entry, rig.memory(0).begin() + 100);
    co_await gfs.gfs_write(index0.number, 100, 0, 24);
    e = co_await array.open("array");
    CHECK(e == Error::none);
    a = co_await array.read(0, 30000);
    CHECK(a.error == Error::damaged);
    // Index forks that do not belong together.
    co_await gfs.gfs_extend(index0.number, 96);
    e = co_await array.open("array");
    CHECK(e == Error::damaged);
    co_await gfs.gfs_delete_fork(file.number, 0, ChunkedArray::index_name);
    e = co_await array.open("array");
    CHECK(e == Error::no_such_fork);
  });
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
