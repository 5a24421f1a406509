// SPDX-License-Identifier: MIT
#include "sw/workload/trace/trace.h"

#include <map>

#include "models/core/problems.h"
#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::literals;
using namespace sunstar::workload;

namespace {

TraceRequest request(std::uint32_t rank, std::uint32_t file, std::uint64_t offset, std::uint64_t bytes,
                     double start = 0) {
  return {rank, Operation::read, file, offset, bytes, start, start, 0};
}

Trace trace_of(std::vector<TraceRequest> requests, std::uint32_t files = 1) {
  Trace trace{"t.csv", {}, std::move(requests)};
  for (std::uint32_t f = 0; f < files; ++f) trace.files.push_back(std::to_string(f));
  return trace;
}

std::vector<ScaledRequest> scale_all(const Trace& trace, const ScaleParams& scale) {
  return scaled(trace, std::vector<char>(trace.files.size(), 1), scale);
}

ScaleParams shrunk(double lengths, std::uint64_t block) {
  ScaleParams scale;
  scale.lengths = lengths;
  scale.block_size = {block};
  return scale;
}

/// The offsets of what is kept.
std::vector<std::uint64_t> kept(const Trace& trace, const ScaleParams& scale) {
  std::vector<std::uint64_t> offsets;
  const auto all = scale_all(trace, scale);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].fate == Fate::kept) offsets.push_back(trace.requests[i].offset);
  return offsets;
}

}  // namespace

TEST_CASE("a shrunk file keeps an even share of its blocks, the first among them, and they move together") {
  // A quarter of blocks of 10: 0, 4, 8, ... Their bytes stay in order; a block that is cut out has no length.
  const Shrink quarter(0.25, 10);
  CHECK(quarter.place(0) == 0);
  CHECK(quarter.place(7) == 7);
  CHECK(quarter.place(10) == 10);
  CHECK(quarter.place(39) == 10);
  CHECK(quarter.place(40) == 10);
  CHECK(quarter.place(43) == 13);
  CHECK(quarter.place(400) == 100);
  // Decimal fractions keep exactly their share where it is a whole number of blocks.
  for (int tenths = 1; tenths <= 10; ++tenths)
    CHECK(Shrink(tenths * 0.1, 512).place(30 * 512) == static_cast<std::uint64_t>(3 * tenths) * 512);
}

TEST_CASE("requests in a row stay in a row, overlapping ones overlap, equal ones stay equal, aligned ones aligned") {
  for (const double lengths : {0.003, 0.01, 0.1, 1 / 3.0, 0.5, 0.77})
    for (const std::uint64_t block : {1u, 512u, 4096u}) {
      const Shrink shrink(lengths, block);
      std::uint64_t before = 0;
      for (std::uint64_t offset = 0; offset < 200'000; offset += 61) {  // also the ends of requests
        const std::uint64_t place = shrink.place(offset);
        REQUIRE(place >= before);
        REQUIRE(place - before <= 61);
        before = place;
      }
      for (std::uint64_t i = 0; i < 1000; ++i) REQUIRE(shrink.place(i * block) % block == 0);
      // As much is kept as is asked for, to a block.
      CHECK(static_cast<double>(shrink.place(std::uint64_t{1} << 30)) ==
            Approx(lengths * (1 << 30)).margin(static_cast<double>(block)));
    }
}

TEST_CASE("large requests get shorter, small ones fewer, and a read and a write of the same bytes share their fate") {
  // 16 requests of 8 blocks each in a row, then 16 of a quarter of a block; each is read and written.
  std::vector<TraceRequest> requests;
  const auto both = [&](std::uint64_t offset, std::uint64_t bytes) {
    requests.push_back(request(0, 0, offset, bytes));
    requests.push_back(request(0, 0, offset, bytes));
    requests.back().operation = Operation::write;
  };
  for (std::uint64_t i = 0; i < 16; ++i) both(i * 32768, 32768);
  for (std::uint64_t i = 0; i < 16; ++i) both(16 * 32768 + i * 1024, 1024);
  const Trace trace = trace_of(requests);
  const auto all = scale_all(trace, shrunk(0.25, 4096));
  std::uint64_t end = 0;
  std::size_t small = 0;
  for (std::size_t i = 0; i < all.size(); i += 2) {
    CHECK(all[i].fate == all[i + 1].fate);
    CHECK(all[i].bytes == all[i + 1].bytes);
    if (all[i].fate == Fate::cut_out) continue;
    CHECK(all[i].offset == end);  // in a row
    end += all[i].bytes;
    CHECK(all[i].bytes == (i < 32 ? 8192u : 1024u));
    small += i >= 32;
  }
  CHECK(small == 4);
}

TEST_CASE("a window of time counts from the first request of the trace, and its end is outside") {
  const Trace trace = trace_of({request(0, 0, 0, 1, 100), request(0, 0, 1, 1, 101), request(0, 0, 2, 1, 102)});
  ScaleParams scale;
  scale.from = 1_ms * 1000;
  CHECK(kept(trace, scale) == std::vector<std::uint64_t>{1, 2});
  scale.to = 2_ms * 1000;
  CHECK(kept(trace, scale) == std::vector<std::uint64_t>{1});
  CHECK(scale_all(trace, scale)[2].fate == Fate::outside_window);
}

TEST_CASE("the ranks with the lowest numbers are kept, among those in the window") {
  const Trace trace =
      trace_of({request(3, 0, 0, 1, 0), request(9, 0, 1, 1, 1), request(7, 0, 2, 1, 1), request(8, 0, 3, 1, 1)});
  ScaleParams scale;
  scale.ranks = 2;
  CHECK(kept(trace, scale) == std::vector<std::uint64_t>{0, 2});
  scale.from = 1_ms;
  CHECK(kept(trace, scale) == std::vector<std::uint64_t>{2, 3});
  scale.ranks = 3;
  CHECK(kept(trace, scale) == std::vector<std::uint64_t>{1, 2, 3});
}

TEST_CASE("the files with the most bytes are kept, counted over the ranks that are kept") {
  const Trace trace =
      trace_of({request(0, 0, 0, 10), request(0, 1, 1, 30), request(0, 2, 2, 20), request(1, 0, 3, 90)}, 3);
  ScaleParams scale;
  scale.files = 1;
  CHECK(kept(trace, scale) == std::vector<std::uint64_t>{0, 3});
  scale.ranks = 1;
  CHECK(kept(trace, scale) == std::vector<std::uint64_t>{1});
  scale.files = 2;
  CHECK(kept(trace, scale) == std::vector<std::uint64_t>{1, 2});
  CHECK(scale_all(trace, scale)[0].fate == Fate::other_files);
  CHECK(scale_all(trace, scale)[3].fate == Fate::other_ranks);
}

TEST_CASE("a window must end after its begin, unless it does not end") {
  ScaleParams scale;
  scale.from = 2_ms;
  Problems none, some;
  check(scale, "workload.scale", none);
  CHECK(none.empty());
  scale.to = 2_ms;
  check(scale, "workload.scale", some);
  REQUIRE(some.count() == 1);
  CHECK(some.sentences()[0] ==
        "workload.scale.to is not after workload.scale.from; it must be, or 0s, which stands for the end of the "
        "trace.");
}
