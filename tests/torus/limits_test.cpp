// SPDX-License-Identifier: MIT
// Runs at the edges: slower than time can be counted, shorter than the drives' later work, without a byte moved.
#include "models/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;
using Catch::Matchers::ContainsSubstring;
using test::pattern_of;
using test::small_torus;

namespace {

boost::json::object result_of(const machine::Config& config) { return test::run_each({config, config}).front(); }

}  // namespace

TEST_CASE("a run that would last longer than time can be counted fails, and says so") {
  // 128 KiB in calls of 4 KiB: a copy takes 4 million s, all of them together 131 million.
  auto config = small_torus();
  config.machine.node.clock = {1000};
  config.machine.costs.copy_per_byte = {1'000'000};
  pattern_of(config) = {"wb", {4096}, {128 << 10}, ""};
  CHECK_THAT(test::refusal(config), ContainsSubstring("at most 1152921 s (13 days) can be simulated at once"));
  // Each copy takes 0.4 million s now; those of one I/O processor go beyond the clock.
  config.machine.costs.copy_per_byte = {100'000};
  pattern_of(config).file_size = {1 << 20};
  CHECK_THAT(test::refusal(config), ContainsSubstring("simulated time would pass 4611686 s (53 days)"));
}

TEST_CASE("nothing is ever busy for more than all of the time") {
  std::vector<machine::Config> configs;
  for (const char* file_system : {"traditional-caching", "disk-directed", "enwrich"})
    for (const char* pattern : {"wb", "rb", "rcc"})
      for (const std::uint64_t bytes : {128 << 10, 16 << 10}) {
        configs.push_back(small_torus(file_system));
        pattern_of(configs.back()) = {pattern, {8192}, {bytes}, ""};
      }
  for (const auto& result : test::run_each(configs))
    for (const auto& [name, s] : result.at("statistics").as_object())
      if (s.at("unit") == "fraction") {
        INFO(std::string_view(name));
        CHECK(s.at("value").to_number<double>() >= 0);
        CHECK(s.at("value").to_number<double>() <= 1);
      }
}

TEST_CASE("a healthy drive that is too slow for its driver is aborted, and the result says so") {
  auto config = small_torus("disk-directed");
  config.file_system.driver.timeout = 1_ms;
  pattern_of(config) = {"rb", {8192}, {64 << 10}, ""};
  const auto result = result_of(config);
  CHECK(test::count(result, "bytes_moved") == 0);
  CHECK(test::count(result.at("faults").as_object(), "bytes_reported_unread") == 64 << 10);
  const std::string first(result.at("warnings").at(0).as_string());
  CHECK_THAT(first,
             ContainsSubstring("took longer than file_system.driver.timeout and were aborted, though no drive has"));
}

TEST_CASE("bytes that were not moved do not count as throughput") {
  auto config = small_torus("enwrich");
  pattern_of(config) = {"wb", {4096}, {64 << 10}, ""};
  config.faults = {test::stop("cp0", 1_ps), test::stop("cp1", 1_ps)};
  const auto result = result_of(config);
  CHECK(test::count(result, "bytes_moved") == 0);
  CHECK(result.at("throughput").at("mib_per_s").to_number<double>() == 0);
}

TEST_CASE("a processor that stops while it reads takes its buffer with it, and the others must have theirs") {
  auto config = small_torus("enwrich");
  pattern_of(config) = {"rb", {8192}, {256 << 10}, ""};
  config.faults = {test::stop("cp1", 30_ms)};
  const auto result = result_of(config);
  const std::uint64_t moved = test::count(result, "bytes_moved");
  CHECK(moved >= 128 << 10);
  CHECK(moved < 256 << 10);
  CHECK(test::count(result, "bytes_verified") == 128 << 10);
}

TEST_CASE("bytes that several processors write in one collective count once") {
  const test::TemporaryFolder folder;
  auto config = small_torus("disk-directed");
  workload::TraceParams trace;
  trace.trace = folder.write("t.csv", "rank,op,file,offset,length,start,end\n0,w,f,0,300,0,1\n1,w,f,150,300,0,1\n");
  config.workload.kind = trace;
  const auto result = result_of(config);
  CHECK(test::count(result, "bytes_moved") == 450);
  const double moved = result.at("throughput").at("mib_per_s").to_number<double>() * (1 << 20) *
                       result.at("elapsed_s").to_number<double>();
  CHECK(moved == Approx(450));
}
