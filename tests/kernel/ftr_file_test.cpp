// SPDX-License-Identifier: MIT
#include <set>

#include "models/core/error.h"
#include "models/kernel/timeline.h"
#include "tests/support/catch.h"
#include "tests/support/ftr.h"

using namespace sunstar;
using namespace sunstar::literals;
using test::Ftr;
using test::TemporaryFolder;

TEST_CASE("a transaction recording has tracks as streams, spans as transactions, arrows as relations, in picoseconds") {
  const TemporaryFolder folder;
  Timeline t(folder.path / "t.ftr");
  const auto cp = t.track(t.group("machine.cp0"), "main", 0);
  const auto bus = t.group("machine.bus");
  const auto disk = t.track(bus, "disk0: heads", 3);
  t.level(bus, "queue");
  t.span(disk, "read", Time{1500_ps}, Time{9_us}, {{"lbn", 7}, {"length", 70'000}}, 4);
  t.span(cp, "main", Time{1_ns}, Time{2_ns}, {}, 4);
  t.instant(disk, "hit", Time{3_us}, {{"block", 1'000'000'000'000}});
  t.span(disk, "read", Time{9_us}, Time{20'000_ms});
  t.close();
  CHECK(t.spans() == 4);
  const Ftr file(folder.path / "t.ftr");
  CHECK(file.exponent == -12);
  REQUIRE(file.streams.size() == 2);
  CHECK(file.streams.at(1).name == "machine.cp0.main");
  CHECK(file.streams.at(1).kind == "main");
  CHECK(file.streams.at(2).name == "machine.bus.disk0: heads");
  CHECK(file.streams.at(2).first == 1500);
  CHECK(file.streams.at(2).last == 20'000'000'000'000);
  // Generators: what a stream's spans say, each once. No number is both a stream's and a generator's.
  CHECK(file.generators.size() == 3);
  for (const auto& [id, generator] : file.generators) CHECK_FALSE(file.streams.contains(id));
  REQUIRE(file.spans.size() == 4);
  const auto& read = file.spans.at(1);
  CHECK(read.stream == "machine.bus.disk0: heads");
  CHECK(read.name == "read");
  CHECK(read.start == 1500);
  CHECK(read.end == 9'000'000);
  using Figures = std::vector<std::pair<std::string, std::uint64_t>>;
  CHECK(read.figures == Figures{{"lbn", 7}, {"length", 70'000}, {"request", 4}});
  CHECK(file.spans.at(3).start == file.spans.at(3).end);
  CHECK(file.spans.at(3).figures == Figures{{"block", 1'000'000'000'000}});
  CHECK(file.spans.at(4).figures.empty());
  REQUIRE(file.relations.size() == 1);
  CHECK(file.relations[0].name == "request");
  CHECK(file.relations[0].from->name == "main");
  CHECK(file.relations[0].to == &read);
}

TEST_CASE("a transaction recording is written in chunks as they fill, and small ones before all are too large") {
  const TemporaryFolder folder;
  Timeline t(folder.path / "t.ftr");
  const auto group = t.group("machine");
  std::vector<Timeline::Track> tracks;
  for (int i = 0; i < 401; ++i) tracks.push_back(t.track(group, "track " + std::to_string(i), 0));
  t.span(tracks[400], "first", Time{}, Time{1_us}, {}, 1);
  for (int i = 0; i < 1000; ++i)  // some 50 bytes a span: 20 MB in all
    for (int track = 0; track < 400; ++track)
      t.span(tracks[static_cast<std::size_t>(track)], "span", Time{i * 1_ms}, Time{i * 1_ms + 1_us}, {{"i", 70'000}},
             2);
  t.span(tracks[0], "last", Time{2'000_ms}, Time{3'000_ms}, {}, 1);
  t.close();
  const Ftr file(folder.path / "t.ftr");
  CHECK(file.spans.size() == 400'002);
  CHECK(file.relations.size() == 400'000);
  std::uint64_t largest = 0, total = 0;
  std::size_t first = 0, relations = 0;
  for (std::size_t i = 0; i < file.chunks.size(); ++i) {
    const auto& chunk = file.chunks[i];
    largest = std::max<std::uint64_t>(largest, chunk.size);
    total += chunk.tag == 13 ? chunk.size : 0;
    relations += chunk.tag == 15;
    if (chunk.tag == 13 && chunk.stream == 401) first = i;
  }
  CHECK(largest < (64 << 10) + 100);
  CHECK(relations > 100);  // of 64 KiB
  // When all streams together hold 16 MiB, each is written: two rounds for this much.
  CHECK(total > 16 << 20);
  CHECK(total < 32 << 20);
  CHECK(first > 400);
  CHECK(first < file.chunks.size() - 401);
}

TEST_CASE("beyond its limit, a transaction recording stays valid and a stream says what is missing") {
  const TemporaryFolder folder;
  Timeline::Options options;
  options.limit = 800;
  Timeline t(folder.path / "t.ftr", options);
  const auto track = t.track(t.group("bus"), "disk", 0);
  for (int i = 0; i < 100; ++i) t.span(track, "read", Time{i * 1_ms}, Time{i * 1_ms + 1_us});
  t.close();
  REQUIRE(t.truncation());
  CHECK(t.truncation()->find("its limit of 800 bytes was reached") != std::string::npos);
  const Ftr file(folder.path / "t.ftr");
  CHECK(t.spans() > 10);
  CHECK(t.spans() < 40);
  REQUIRE(file.spans.size() == t.spans() + 1);
  const auto& last = file.spans.rbegin()->second;
  CHECK(last.stream == "timeline.truncated");
  CHECK(last.name == *t.truncation());
  CHECK(last.end == std::prev(file.spans.end(), 2)->second.end);
}

TEST_CASE("a transaction recording without spans can be read") {
  const TemporaryFolder folder;
  Timeline t(folder.path / "t.ftr");
  t.track(t.group("bus"), "disk", 0);
  t.close();
  const Ftr file(folder.path / "t.ftr");
  CHECK(file.streams.size() == 2);
  CHECK(file.spans.begin()->second.name ==
        "The timeline has no spans: nothing that it records happened in its window.");
}
