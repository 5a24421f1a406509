// SPDX-License-Identifier: MIT
// The timeline of whole runs: tracks, arrows, counters, window and scope.
#include "tests/support/timeline_file.h"

#include <cstring>
#include <set>

#include "models/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/ftr.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;
using test::TemporaryFolder;
using test::TimelineFile;

namespace {

machine::Config config_of(const char* kind, const char* pattern) {
  machine::Config config = test::small_torus(kind);
  test::pattern_of(config).pattern = pattern;
  return config;
}

/// Runs in a process of its own. The file is a TimelineFile or, if its name ends in .ftr, an Ftr.
template <class File = TimelineFile>
File timeline_of(const machine::Config& config, const Timeline::Options& options = {}, const char* name = "t.json") {
  const TemporaryFolder folder;
  kit::Watch watch;
  watch.timeline = folder.path / name;
  watch.timeline_options = options;
  kit::run_trials(2, 2, [&](std::uint32_t i) {
    if (i == 0) machine::run_trial(config, 0, watch);
    return boost::json::object{};
  });
  return File(folder.path / name);
}

std::set<std::string> names_on(const TimelineFile& file, const std::string& group, const std::string& track) {
  std::set<std::string> names;
  for (const auto& s : file.spans)
    if (s.group == group && s.track == track) names.insert(s.name);
  return names;
}

}  // namespace

TEST_CASE("on every file system spans nest, and every arrow ends within a span") {
  for (const char* kind : {"traditional-caching", "disk-directed", "two-phase", "enwrich", "hybrid", "galley", "pvfs",
                           "locking", "versioned"})
    for (const char* pattern : {"rb", "wcc"}) {
      CAPTURE(kind, pattern);
      const TimelineFile file = timeline_of(config_of(kind, pattern));
      CHECK(file.overlaps() == std::vector<std::string>{});
      CHECK(file.loose_flows() == std::vector<std::string>{});
      CHECK(file.flows.size() >= 4);  // PVFS needs no more for four parts
      CHECK(file.truncated == "");
    }
}

TEST_CASE("groups stand in the machine's order: each node, then its buses, then the network") {
  const TimelineFile file = timeline_of(config_of("traditional-caching", "rb"));
  CHECK(file.groups == std::vector<std::string>{"machine.cp0", "machine.cp1", "machine.iop0", "machine.iop0_scsi0",
                                                "machine.iop1", "machine.iop1_scsi0", "machine.network"});
  CHECK(file.tracks.at("machine.iop0_scsi0") ==
        std::vector<std::string>{"bus: who has it", "disk0: commands", "disk0: heads"});
  const auto& tracks = file.tracks.at("machine.iop0");
  REQUIRE(tracks.size() > 4);
  CHECK(tracks[0] == "interrupts");
  CHECK(tracks[1] == "blocks");
  CHECK(tracks.back().starts_with("message sent"));
}

TEST_CASE("threads run, are ready and wait for what they say, and handlers have their message's name") {
  const TimelineFile file = timeline_of(config_of("traditional-caching", "rb"));
  CHECK(names_on(file, "machine.iop0", "disk") ==
        std::set<std::string>{"disk", "ready", "waits for a disk request", "waits for the end of a disk command"});
  const auto request = names_on(file, "machine.iop0", "read request");
  CHECK(request.contains("read request"));
  CHECK(request.contains("waits for a block on its way from or to disk"));
  const auto handlers = names_on(file, "machine.iop0", "interrupts");
  CHECK(handlers.contains("read"));
  CHECK(handlers.contains("disk done"));
  CHECK(names_on(file, "machine.cp0", "interrupts").contains("reply"));
  const auto heads = names_on(file, "machine.iop0_scsi0", "disk0: heads");
  for (const char* phase : {"rotation", "read", "read_ahead"}) CHECK(heads.contains(phase));
  CHECK(names_on(file, "machine.iop0_scsi0", "bus: who has it") ==
        std::set<std::string>{"disk0", "host adapter, to disk0"});
}

TEST_CASE("one read is followed from its processor to the disk and back") {
  const TimelineFile file = timeline_of(config_of("traditional-caching", "rb"));
  std::size_t whole = 0;
  for (const auto& [request, chain] : file.flows) {
    // The names of the spans that its arrows point at, each once.
    std::vector<std::string> way;
    for (const auto& f : chain) {
      std::string place = f.group.substr(8) + " " + f.track;
      for (const char* node : {"cp", "iop"})
        if (place.starts_with(node)) place.erase(std::strlen(node), 1);
      // Which of the tracks for such spans it is does not matter.
      if (f.track.starts_with("read request")) place = "iop read request";
      if (f.track.starts_with("message sent")) place.resize(place.find(" sent") + 5);
      if (std::ranges::find(way, place) == way.end()) way.push_back(place);
    }
    const std::vector<std::string> expected{"cp main", "cp message sent", "iop interrupts", "iop read request",
                                            "iop disk"};
    if (way.size() < 9 || !std::equal(expected.begin(), expected.end(), way.begin())) continue;
    const auto at = [&](const std::string& place) { return std::ranges::find(way, place) - way.begin(); };
    const auto end = static_cast<std::ptrdiff_t>(way.size());
    if (at("iop_scsi0 disk0: commands") < end && at("cp interrupts") < end &&
        at("iop_scsi0 disk0: commands") < at("cp interrupts"))
      ++whole;
  }
  CHECK(whole >= 4);  // the first block that each processor reads from each disk; others may have been prefetched
}

TEST_CASE("counters show queues and bytes a second, and the bytes add up") {
  const TimelineFile file = timeline_of(config_of("traditional-caching", "rb"));
  for (const char* name : {"machine.iop0 ready threads", "machine.iop0 scsi0.disk0: requests queued",
                           "machine.iop0 input FIFO", "machine.iop0_scsi0 disk0: bytes a second"}) {
    CAPTURE(name);
    CHECK(file.counters.contains(name));
  }
  // Each value holds until the next one; the last is 0.
  const auto& rate = file.counters.at("machine.network bytes a second");
  CHECK(rate.back().second == 0);
  double bytes = 0;
  for (std::size_t i = 0; i + 1 < rate.size(); ++i)
    bytes += static_cast<double>(rate[i].second) * 1e-9 * static_cast<double>(rate[i + 1].first - rate[i].first);
  CHECK(bytes == Approx(64 << 10));
}

/// Each span and each arrow in a line, with times in nanoseconds.
using Lines = std::multiset<std::string>;

Lines lines_of(const TimelineFile& file) {
  Lines lines;
  const auto add = [&](const auto& s, std::int64_t start, std::int64_t end) {
    std::string line = s.group + "." + s.track + " " + s.name + " " + std::to_string(start) + "-" + std::to_string(end);
    for (const auto& [key, value] : s.args) line += " " + std::string(key) + "=" + boost::json::serialize(value);
    lines.insert(line);
  };
  for (const auto& s : file.spans) add(s, s.start, s.end);
  for (const auto& i : file.instants) add(i, i.at, i.at);
  const auto end = [](const TimelineFile::Flow& f) { return f.group + "." + f.track + " " + std::to_string(f.start); };
  for (const auto& [request, chain] : file.flows)
    for (std::size_t i = 1; i < chain.size(); ++i)
      lines.insert(std::to_string(request) + ": " + end(chain[i - 1]) + " to " + end(chain[i]));
  return lines;
}

Lines lines_of(const test::Ftr& file) {
  Lines lines;
  const auto ns = [](std::uint64_t ps) { return std::to_string(ps / 1000); };
  for (const auto& [number, s] : file.spans) {
    std::string line = s.stream + " " + s.name + " " + ns(s.start) + "-" + ns(s.end);
    for (const auto& [key, value] : s.figures) line += " " + key + "=" + std::to_string(value);
    lines.insert(line);
  }
  const auto end = [&](const test::Ftr::Span* s) { return s->stream + " " + ns(s->start); };
  for (const auto& r : file.relations) {
    CHECK(r.from->figures.back() == r.to->figures.back());
    lines.insert(std::to_string(r.to->figures.back().second) + ": " + end(r.from) + " to " + end(r.to));
  }
  return lines;
}

TEST_CASE("a transaction recording has the spans, times, attributes and relations of the JSON timeline") {
  for (const char* kind : {"traditional-caching", "disk-directed", "two-phase", "enwrich", "hybrid", "galley", "pvfs",
                           "locking", "versioned"}) {
    CAPTURE(kind);
    const auto config = config_of(kind, "wcc");
    Timeline::Options options;
    if (kind == std::string("hybrid")) options.scope = Scope("iop*"), options.window.from = Time{5_ms};
    const auto ftr = timeline_of<test::Ftr>(config, options, "t.ftr");
    const Lines json = lines_of(timeline_of(config, options));
    CHECK(json.size() > 100);
    CHECK(ftr.relations.size() > 10);
    CHECK((lines_of(ftr) == json));
  }
}

TEST_CASE("a window has the spans of the whole timeline that meet it") {
  const auto config = config_of("traditional-caching", "rb");
  Timeline::Options options;
  options.window = {Time{20_ms}, Time{40_ms}};
  const TimelineFile all = timeline_of(config), some = timeline_of(config, options);
  std::size_t met = 0;
  for (const auto& s : all.spans) met += s.start < 40'000'000 && (s.end > 20'000'000 || s.start >= 20'000'000);
  CHECK(met > 20);
  CHECK(met < all.spans.size());
  // To the nanosecond: spans that end within the window's first are counted by their picoseconds.
  CHECK(some.spans.size() >= met);
  CHECK(some.spans.size() <= met + 4);
  CHECK(some.loose_flows() == std::vector<std::string>{});
}

TEST_CASE("a scope has the tracks of its instances only") {
  Timeline::Options options;
  options.scope = Scope("iop0*,cp1");
  const TimelineFile file = timeline_of(config_of("traditional-caching", "rb"), options);
  CHECK(file.groups == std::vector<std::string>{"machine.cp1", "machine.iop0", "machine.iop0_scsi0"});
  CHECK(file.loose_flows() == std::vector<std::string>{});
  options.scope = Scope("iop7");
  CHECK_THROWS_WITH(timeline_of(config_of("traditional-caching", "rb"), options),
                    "--timeline-scope: \"iop7\" names nothing here; there are cp0 to cp1, iop0 to iop1, iop0_scsi0 to "
                    "iop1_scsi0 and network; did you mean \"iop0\"?");
}

TEST_CASE("a timeline alone, with a window and a scope, changes no result, to the last kernel event") {
  for (const char* kind : {"traditional-caching", "disk-directed", "enwrich", "galley", "pvfs"}) {
    CAPTURE(kind);
    const auto config = config_of(kind, "wcc");
    const TemporaryFolder folder;
    auto results = kit::run_trials(3, 2, [&](std::uint32_t i) {
      kit::Watch watch;
      if (i > 0) watch.timeline = folder.path / std::to_string(i);
      if (i > 1) {
        watch.timeline_options.window = {Time{10_ms}, Time{20_ms}};
        watch.timeline_options.scope = Scope("iop*");
      }
      return test::figures_of(machine::run_trial(config, 0, watch));
    });
    for (std::size_t i : {1, 2})
      CHECK(results[0].at("host").at("kernel_events") == results[i].at("host").at("kernel_events"));
    for (auto& r : results) r.erase("host");
    CHECK(results[0] == results[1]);
    CHECK(results[0] == results[2]);
  }
}
