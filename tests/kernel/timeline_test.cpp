// SPDX-License-Identifier: MIT
#include "models/kernel/timeline.h"

#include <boost/json.hpp>

#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using namespace sunstar::literals;
using test::TemporaryFolder;
namespace json = boost::json;

namespace {
Time at(Duration d) { return Time{d}; }
}  // namespace

TEST_CASE("spans lie on named tracks, in microseconds to the picosecond") {
  const TemporaryFolder folder;
  Timeline t(folder.path / "t.json");
  const auto bus = t.group("bus");
  const auto disk = t.track(bus, "disk");
  t.span(disk, "read", at(Duration{1}), at(2_us), {{"lbn", 7}});
  t.overlapping(bus, "request", "to iop0", at(3_us), at(5_us));
  t.close();
  CHECK_FALSE(t.truncation());
  CHECK(t.spans() == 2);
  const auto events = json::parse(TemporaryFolder::read(folder.path / "t.json")).at("traceEvents").as_array();
  REQUIRE(events.size() == 5);
  CHECK(events[0].at("args").at("name") == "bus");
  CHECK(events[1].at("args").at("name") == "disk");
  CHECK(events[2].at("ts").as_double() == 1e-6);
  CHECK(events[2].at("dur").as_double() == 1.999999);
  CHECK(events[2].at("args").at("lbn") == 7);
  CHECK(events[3].at("ph") == "b");
  CHECK(events[4].at("ph") == "e");
  CHECK(events[3].at("id") == events[4].at("id"));
}

TEST_CASE("beyond its limit, a timeline stays valid and says what is missing") {
  const TemporaryFolder folder;
  Timeline t(folder.path / "t.json", 500);
  const auto track = t.track(t.group("bus"), "disk");
  for (int i = 0; i < 100; ++i) t.span(track, "read", at(i * 1_ms), at(i * 1_ms + 1_us));
  t.close();
  REQUIRE(t.truncation());
  const auto file = json::parse(TemporaryFolder::read(folder.path / "t.json"));
  CHECK(file.at("traceEvents").as_array().size() == 2 + t.spans());
  CHECK(t.spans() < 10);
  const std::string left = std::to_string(100 - t.spans());
  CHECK(*t.truncation() == "The timeline ends at 0.00" + std::to_string(t.spans() - 1) +
                               "001 s: its limit of 500 bytes was reached, and " + left +
                               " later spans were left out.");
  CHECK(file.at("otherData").at("truncated").as_string() == *t.truncation());
}
