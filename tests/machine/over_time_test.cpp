// SPDX-License-Identifier: MIT
#include "platforms/machine/report/over_time.h"

#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;
using machine::OverTime;

namespace {

std::uint64_t sum(const boost::json::value& numbers) {
  std::uint64_t all = 0;
  for (const auto& n : numbers.as_array()) all += n.to_number<std::uint64_t>();
  return all;
}

}  // namespace

TEST_CASE("what happens in an interval is counted there, and intervals in which nothing happens are there, too") {
  std::uint64_t waiting = 3;
  OverTime over_time(10_ms, [&] { return waiting; });
  over_time.at_drive(Time{4_ms}, 9, true, false);  // before the first request: not counted
  over_time.begin(Time{5_ms});
  over_time.moved(Time{5_ms}, 100);
  waiting = 5;
  over_time.moved(Time{14_ms}, 11);
  over_time.at_drive(Time{15_ms}, 1, false, false);
  over_time.at_drive(Time{15_ms}, 2, true, false);
  over_time.at_drive(Time{15_ms}, 3, false, true);  // what a rebuild reads
  over_time.at_drive(Time{25_ms}, 4, true, true);
  over_time.lost(Time{36_ms}, 7);
  const auto all = kit::write_figures(over_time.course());
  CHECK(all.at("interval_s").as_double() == 0.01);
  CHECK(all.at("moved_bytes") == boost::json::value{111, 0, 0, 0});
  CHECK(all.at("lost_bytes") == boost::json::value{0, 0, 0, 7});
  CHECK(all.at("read_bytes") == boost::json::value{0, 1, 0, 0});
  CHECK(all.at("written_bytes") == boost::json::value{0, 2, 0, 0});
  CHECK(all.at("rebuilt_bytes") == boost::json::value{0, 0, 4, 0});
  CHECK(all.at("queued") == boost::json::value{4.0, 5.0, 5.0, 5.0});
}

TEST_CASE("too many intervals become longer ones, and nothing is lost") {
  OverTime over_time(1_us, [] { return std::uint64_t{1}; });
  over_time.begin(Time{});
  for (int i = 0; i < 10'000; ++i) over_time.moved(Time{1_us * i}, 2);
  const auto all = kit::write_figures(over_time.course());
  CHECK(all.at("interval_s").as_double() == 4e-6);
  CHECK(all.at("moved_bytes").as_array().size() == 2500);
  CHECK(all.at("moved_bytes").as_array()[1234] == 8);
  CHECK(sum(all.at("moved_bytes")) == 20'000);
}

TEST_CASE("a result over time sums to the result") {
  auto config = test::small_torus("disk-directed");
  config.run.interval = 1_ms;
  auto document = machine::run_trial(config, 0);
  CHECK(sum(document.over_time.at("moved_bytes")) == document.result.bytes_moved);
  CHECK(document.over_time.at("moved_bytes").as_array().size() > 1);
  CHECK(sum(document.over_time.at("read_bytes")) == document.result.bytes_moved);
}
