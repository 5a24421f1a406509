// SPDX-License-Identifier: MIT
#include "models/kernel/timeline.h"

#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/timeline_file.h"

using namespace sunstar;
using namespace sunstar::literals;
using test::TemporaryFolder;
using test::TimelineFile;

namespace {
Time at(Duration d) { return Time{d}; }
}  // namespace

TEST_CASE("spans lie on named tracks, in whole nanoseconds that keep them apart and nested") {
  const TemporaryFolder folder;
  Timeline t(folder.path / "t.json");
  const auto bus = t.group("bus");
  const auto disk = t.track(bus, "disk", 3);
  // In picoseconds, the inner span ends with the outer one, and the next begins there.
  t.span(disk, "read", at(1500_ps), at(3400_ps), {{"lbn", 7}});
  t.span(disk, "data", at(1900_ps), at(3400_ps));
  t.span(disk, "write", at(3400_ps), at(2_us));
  t.instant(disk, "hit \"it\"", at(3_us), {{"block", 9}});
  t.close();
  CHECK_FALSE(t.truncation());
  CHECK(t.spans() == 4);
  const TimelineFile file(folder.path / "t.json");
  CHECK(file.groups == std::vector<std::string>{"bus"});
  REQUIRE(file.spans.size() == 3);
  CHECK(file.spans[0].track == "disk");
  CHECK(file.spans[0].start == 1);
  CHECK(file.spans[0].end == 3);
  CHECK(file.spans[0].args.at("lbn") == 7);
  CHECK(file.spans[1].end == 3);
  CHECK(file.spans[2].start == 3);
  CHECK(file.spans[2].end == 2000);
  CHECK(file.overlaps() == std::vector<std::string>{});
  const auto hit = std::ranges::find_if(file.events, [](const auto& e) { return e.at("ph") == "i"; });
  CHECK(hit->at("name") == "hit \"it\"");
  CHECK(hit->at("ts").to_number<double>() == 3);
}

TEST_CASE("groups stand in the order of their first mention, tracks in the order that they are given") {
  const TemporaryFolder folder;
  Timeline t(folder.path / "t.json");
  CHECK(t.group("machine.cp0") == 1);
  CHECK(t.group("machine.iop0") == 2);
  CHECK(t.group("machine.cp0") == 1);
  t.track(2, "below", 20);
  t.track(2, "above", 10);
  t.track(1, "only", 0);
  t.close();
  const TimelineFile file(folder.path / "t.json");
  CHECK(file.groups == std::vector<std::string>{"machine.cp0", "machine.iop0"});
  CHECK(file.tracks.at("machine.iop0") == std::vector<std::string>{"above", "below"});
}

TEST_CASE("the spans of a request are one chain of arrows, in order of their beginnings, each within its span") {
  const TemporaryFolder folder;
  Timeline t(folder.path / "t.json");
  const auto cp = t.track(t.group("cp0"), "main", 0), iop = t.track(t.group("iop0"), "interrupts", 0);
  t.span(iop, "handler", at(5_us), at(6_us), {}, 4);  // known before the span that has led to it
  t.span(cp, "main", at(1_us), at(7_us), {}, 4);
  t.span(iop, "handler", at(8_us), at(9_us), {}, 5);  // alone
  t.span(cp, "main", at(8_us), at(8_us), {}, 4);      // no time to point at
  t.span(iop, "handler", at(10_us), at(11_us), {}, 4);
  t.close();
  const TimelineFile file(folder.path / "t.json");
  REQUIRE(file.flows.size() == 1);
  const auto& chain = file.flows.at(4);
  REQUIRE(chain.size() == 3);
  CHECK(chain[0].phase == 's');
  CHECK(chain[0].track == "main");
  CHECK(chain[1].phase == 't');
  CHECK(chain[2].phase == 'f');
  CHECK(chain[2].start == 10'000);
  CHECK(file.loose_flows() == std::vector<std::string>{});
}

TEST_CASE("a level has its greatest value in each interval, a rate its mean") {
  const TemporaryFolder folder;
  Timeline::Options options;
  options.interval = 10_us;
  Timeline t(folder.path / "t.json", options);
  const auto g = t.group("disk");
  const auto queue = t.level(g, "queue");
  const auto bytes = t.rate(g, "bytes a second");
  t.step(queue, at(1_us), 1);
  t.step(queue, at(2_us), 2);
  t.step(queue, at(3_us), -2);  // three at most, one at the end of the first interval
  t.step(queue, at(45_us), -1);
  t.count(bytes, at(12_us), 40);
  t.count(bytes, at(19_us), 60);  // 100 bytes in 10 us: 10 MB/s
  t.count(bytes, at(41_us), 10);
  t.close();
  const TimelineFile file(folder.path / "t.json");
  using Values = std::vector<std::pair<std::int64_t, std::uint64_t>>;
  CHECK(file.counters.at("disk queue") == Values{{0, 3}, {10'000, 1}, {50'000, 0}});
  CHECK(file.counters.at("disk bytes a second") ==
        Values{{10'000, 10'000'000}, {20'000, 0}, {40'000, 1'000'000}, {50'000, 0}});
}

TEST_CASE("only spans that meet the window are recorded, whole") {
  const TemporaryFolder folder;
  Timeline::Options options;
  options.window = {at(2_us), at(4_us)};
  Timeline t(folder.path / "t.json", options);
  const auto track = t.track(t.group("cp0"), "main", 0);
  for (int i = 0; i < 6; ++i) t.span(track, std::to_string(i), at(i * 1_us), at(i * 1_us + 1500_ns), {}, 1);
  t.close();
  const TimelineFile file(folder.path / "t.json");
  std::vector<std::string> names;
  for (const auto& s : file.spans) names.push_back(s.name);
  CHECK(names == std::vector<std::string>{"1", "2", "3"});
  CHECK(file.spans.front().start == 1000);
  CHECK(file.flows.at(1).size() == 3);
  CHECK(file.loose_flows() == std::vector<std::string>{});
}

TEST_CASE("only instances in scope have groups, tracks and counters") {
  const TemporaryFolder folder;
  Timeline::Options options;
  options.scope = Scope("cp1,*.disk1");
  Timeline t(folder.path / "t.json", options);
  for (const char* node : {"machine.cp0", "machine.cp1"}) {
    const auto track = t.track(t.group(node), "main", 0);
    CHECK(static_cast<bool>(track) == (std::string(node) == "machine.cp1"));
    t.span(track, node, at(0_us), at(1_us));
    t.step(t.level(t.group(node), "ready"), at(0_us), 1);
  }
  const auto bus = t.group("machine.iop0_scsi0");
  t.track(bus, "disk0", 0, "machine.iop0_scsi0.disk0");
  t.track(bus, "disk1", 1, "machine.iop0_scsi0.disk1");
  CHECK_NOTHROW(t.check_scope());
  t.close();
  const TimelineFile file(folder.path / "t.json");
  CHECK(file.groups == std::vector<std::string>{"machine.cp1", "machine.iop0_scsi0"});
  CHECK(file.tracks.at("machine.iop0_scsi0") == std::vector<std::string>{"disk1"});
  CHECK(file.spans.size() == 1);
  CHECK(file.counters.size() == 1);
}

TEST_CASE("a timeline whose name ends in .gz is compressed, and holds the same") {
  const TemporaryFolder folder;
  for (const char* name : {"t.json", "t.json.gz"}) {
    Timeline t(folder.path / name);
    const auto track = t.track(t.group("cp0"), "main", 0);
    for (int i = 0; i < 10'000; ++i) t.span(track, "main", at(i * 1_us), at(i * 1_us + 900_ns), {{"i", 5}}, 7);
    t.close();
  }
  CHECK(std::filesystem::file_size(folder.path / "t.json") >
        10 * std::filesystem::file_size(folder.path / "t.json.gz"));
  CHECK(TimelineFile::text(folder.path / "t.json.gz") == TimelineFile::text(folder.path / "t.json"));
}

TEST_CASE("a part that still has a span adds it when the file is closed") {
  const TemporaryFolder folder;
  struct Part final : Timeline::Source {
    Timeline* timeline;
    Timeline::Track track;
    Time settle() override { return timeline->span(track, "last", Time{}, Time{1_us}), Time{1_us}; }
  } part;
  Timeline t(folder.path / "t.json");
  part.timeline = &t;
  part.track = t.track(t.group("cp0"), "main", 0);
  t.add(part);
  t.close();
  CHECK(TimelineFile(folder.path / "t.json").spans.at(0).name == "last");
}

TEST_CASE("beyond its limit, a timeline stays valid and says what is missing") {
  const TemporaryFolder folder;
  Timeline::Options options;
  options.limit = 800;
  Timeline t(folder.path / "t.json", options);
  const auto track = t.track(t.group("bus"), "disk", 0);
  for (int i = 0; i < 100; ++i) t.span(track, "read", at(i * 1_ms), at(i * 1_ms + 1_us));
  t.close();
  REQUIRE(t.truncation());
  const TimelineFile file(folder.path / "t.json");
  CHECK(file.spans.size() == t.spans());
  CHECK(t.spans() > 0);
  CHECK(t.spans() < 10);
  const std::string left = std::to_string(100 - t.spans());
  CHECK(*t.truncation() == "The timeline ends at 0.00" + std::to_string(t.spans() - 1) +
                               "001 s: its limit of 800 bytes was reached, and " + left +
                               " later spans were left out.");
  CHECK(file.truncated == *t.truncation());
}

TEST_CASE("lanes that are free again are used again, the lowest first") {
  Lanes lanes;
  CHECK(lanes.take(at(0_us)) == 0);
  CHECK(lanes.take(at(0_us)) == 1);
  lanes.give_back(0, at(5_us));
  CHECK(lanes.take(at(4_us)) == 2);
  CHECK(lanes.take(at(5_us)) == 0);
  CHECK(lanes.count() == 3);
}
