// SPDX-License-Identifier: MIT
// Runs that are explained: the critical path sums to the elapsed time, and the run is the same.
#include <boost/json.hpp>

#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
namespace json = boost::json;

namespace {

std::vector<machine::Config> all_file_systems() {
  std::vector<machine::Config> configs;
  for (const char* kind : {"traditional-caching", "disk-directed", "two-phase", "enwrich", "hybrid", "galley", "pvfs",
                           "locking", "versioned", "local"})
    for (const char* pattern : {"rb", "wcc", "rc"}) {
      configs.push_back(test::small_torus(kind));
      test::pattern_of(configs.back()).pattern = pattern;
      test::pattern_of(configs.back()).record_size = {1024};
    }
  return configs;
}

}  // namespace

TEST_CASE("the stages of the critical path sum to the elapsed time, to the picosecond, and nothing else changes") {
  const auto configs = all_file_systems();
  const auto runs = kit::run_trials(static_cast<std::uint32_t>(2 * configs.size()), 2, [&](std::uint32_t i) {
    kit::Watch watch;
    watch.explain = i % 2 == 1;
    const auto trial = machine::run_trial(configs[i / 2], 0, watch);
    json::object figures = test::figures_of(trial);
    figures["explain"] = trial.explanation;
    return figures;
  });
  for (std::size_t i = 0; i < configs.size(); ++i) {
    CAPTURE(i);
    json::object plain = runs[2 * i], explained = runs[2 * i + 1];
    const json::object why = explained.at("explain").as_object();
    std::int64_t sum = 0;
    for (const auto& stage : why.at("critical_path").as_array()) sum += stage.at("time_ps").as_int64();
    CHECK(sum == why.at("elapsed_ps").as_int64());
    CHECK(static_cast<double>(sum) * 1e-12 == Approx(plain.at("elapsed_s").as_double()).epsilon(1e-12));
    CHECK(plain.at("host").at("kernel_events") == explained.at("host").at("kernel_events"));
    for (json::object* run : {&plain, &explained}) run->erase("host"), run->erase("explain");
    CHECK(plain == explained);
  }
}

TEST_CASE("the advice names the settings that speed up the longest stages, and what they gain at most") {
  machine::Config config = test::small_torus("disk-directed");
  test::pattern_of(config).pattern = "wb";
  test::pattern_of(config).record_size = {8192};
  const auto explained = kit::run_trials(1, 1, [&](std::uint32_t) {
    kit::Watch watch;
    watch.explain = true;
    return machine::run_trial(config, 0, watch).explanation;
  });
  const json::object& first = explained[0].at("changes").as_array()[0].as_object();
  const double share = first.at("share").as_double();
  CHECK(first.at("at_most").as_double() == Approx(1 / (1 - share / 2)));
  CHECK(first.at("waits_gone").as_double() >= first.at("at_most").as_double());
  REQUIRE(first.at("settings").as_array().size() > 0);
  CHECK(std::string(first.at("settings").as_array()[0].as_string()).starts_with("machine."));
  CHECK(explained[0].at("sentences").as_array().size() >= 3);
}

TEST_CASE("the stages of a processor's calls sum to the time that it spent in them") {
  machine::Config config = test::small_torus("traditional-caching");
  config.machine.compute_processors = 1;
  test::pattern_of(config).pattern = "rb";
  test::pattern_of(config).record_size = {1024};
  const auto runs = kit::run_trials(1, 1, [&](std::uint32_t) {
    kit::Watch watch;
    watch.explain = true;
    const auto trial = machine::run_trial(config, 0, watch);
    json::object figures = test::figures_of(trial);
    figures["explain"] = trial.explanation;
    return figures;
  });
  for (const auto& kind : runs[0].at("explain").at("requests").as_array()) {
    if (kind.at("kind").as_string() != "call") continue;
    CHECK(kind.at("count").to_number<double>() == runs[0].at("calls").to_number<double>());
    double sum = 0;
    for (const auto& [stage, times] : kind.at("stages").as_object()) sum += times.at("mean_s").as_double();
    CHECK(sum == Approx(kind.at("total").at("mean_s").as_double()));
    CHECK(sum * kind.at("count").to_number<double>() == Approx(runs[0].at("application_s").as_double()).epsilon(0.01));
    return;
  }
  FAIL("there are no calls among the requests");
}

TEST_CASE("where processors handle messages most of the time, the explanation says how many and what share") {
  machine::Config config = test::small_torus("traditional-caching");
  test::pattern_of(config).pattern = "rc";
  test::pattern_of(config).record_size = {8};
  config.machine.costs.interrupt = {20'000};
  const auto explained = kit::run_trials(1, 1, [&](std::uint32_t) {
    kit::Watch watch;
    watch.explain = true;
    const auto trial = machine::run_trial(config, 0, watch);
    json::object why = trial.explanation;
    why["expected"] = trial.result.messages;
    return why;
  });
  const json::object& messages = explained[0].at("messages").as_object();
  CHECK(messages.at("count") == explained[0].at("expected"));
  const double work = messages.at("share_of_work").as_double(), share = messages.at("share").as_double();
  CHECK(work > 0.5);
  CHECK(work <= 1);
  CHECK(share > 0);
  CHECK(share <= work);
  std::string all;
  for (const auto& sentence : explained[0].at("sentences").as_array()) all += std::string(sentence.as_string()) + "\n";
  CHECK_THAT(all, Catch::Matchers::ContainsSubstring("The processors handle messages: "));
  CHECK_THAT(all,
             Catch::Matchers::ContainsSubstring("Fewer and larger messages may gain more than faster processors."));
}

TEST_CASE("the wait for a drive that does not answer is one for a timer, and long tables are folded") {
  test::Program torus = test::sunstar_torus();
  const auto explain = [&](const char* machine, const std::string& setting) {
    const int code = torus({"--set", "workload.file_size=16MiB", "--set", machine, "--set", setting, "--explain",
                            "--quiet", "--output", "-"});
    CHECK(code == 0);
    return torus.out;
  };
  using Catch::Matchers::ContainsSubstring;
  const auto dies = [](const std::string& drive) {
    return R"(faults=[{"place":")" + drive + R"(","effect":"dead","trigger":{"kind":"operation","number":2}}])";
  };
  CHECK_THAT(explain("machine.disk=barracuda", dies("iop1_scsi0.disk0")), ContainsSubstring("timers of the software"));
  CHECK_THAT(explain("base=nvme-cluster", dies("iop0_pcie0.disk1")), ContainsSubstring("timers of the software"));
  std::vector<std::string> words{"--set", "workload.file_size=1MiB",          "--set",    "machine.disk=barracuda",
                                 "--set", "file_system.layout=random-blocks", "--explain"};
  CHECK(torus(words) == 0);
  CHECK_THAT(torus.out,
             ContainsSubstring("machine.disk.seek.table: 87 entries, cylinders 1 to 4986, time 971.5us to "));
  words.push_back("--verbose");
  CHECK(torus(words) == 0);
  CHECK_THAT(torus.out, ContainsSubstring(R"(--set 'machine.disk.seek.table=[{"cylinders":1,"time":"971.5us"},)"));
}
