// SPDX-License-Identifier: MIT
// Several applications on one machine. Every run checks the bytes of all of them.
#include "models/core/error.h"
#include "platforms/machine/report/interference.h"
#include "tests/support/catch.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using Catch::Matchers::ContainsSubstring;
using file_systems::disk_directed::Params;
using io::TransferOrder;
using test::count;
using test::run_each;

namespace {

workload::JobParams job(std::uint32_t processors, const char* pattern, std::uint64_t record, std::uint64_t bytes) {
  workload::JobParams params;
  params.processors = processors;
  params.kind = workload::PatternParams{pattern, {record}, {bytes}, ""};
  return params;
}

machine::Config shared(std::string_view file_system, std::vector<workload::JobParams> jobs) {
  machine::Config config;
  config.machine.compute_processors = 0;
  for (const auto& j : jobs) config.machine.compute_processors += j.processors;
  config.machine.io_processors = config.machine.disks = 2;
  test::cube_of(config).shape = {4, 4};
  config.file_system.kind = test::file_system_of(file_system);
  config.workload.jobs = std::move(jobs);
  return config;
}

double figure(const boost::json::object& result, const char* section, const char* name) {
  return result.at(section).at(name).to_number<double>();
}

}  // namespace

TEST_CASE("applications of any kind share every file system, and each byte of each of them is right") {
  std::vector<machine::Config> configs;
  for (const char* kind : {"traditional-caching", "disk-directed", "two-phase", "enwrich"}) {
    configs.push_back(shared(kind, {job(3, "rcc", 100, 60'000), job(2, "wb", 512, 51'200), job(4, "wcb", 8, 40'000)}));
    if (std::string_view(kind) == "two-phase" || std::string_view(kind) == "enwrich") continue;
    workload::JobParams records;
    records.processors = 2;
    workload::RecordsParams params;
    params.file_size = {64 << 10};
    params.function = workload::RecordFunction::hash;
    params.discard = 0.3;
    records.kind = params;
    configs.push_back(shared(kind, {job(1, "rn", 8192, 81'920), records, job(3, "wc", 512, 51'200)}));
    // Lists that only their processors know, of two applications at once.
    workload::JobParams subset;
    subset.processors = 3;
    workload::SubsetParams chunks;
    chunks.file_size = {512 << 10};
    chunks.chunk_size = {1000};
    subset.kind = chunks;
    configs.push_back(shared(kind, {subset, job(2, "wb", 512, 51'200), subset}));
  }
  for (auto order : {TransferOrder::first_come, TransferOrder::round_robin}) {
    configs.push_back(configs[3]);
    configs.back().file_system.kind.as<Params>().several = order;
  }
  const auto results = run_each(configs);
  CHECK(results[1].at("job1").at("records").at("examined") == (64 << 10) / 64);
  CHECK(results[2].at("job2").at("subset").at("pieces").to_number<int>() > 100);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    INFO(i);
    const auto& r = results[i];
    CHECK(r.at("verified").as_bool());
    for (const char* name : {"job0", "job1", "job2"}) {
      CHECK(figure(r, name, "alone_s") > 0);
      CHECK(figure(r, name, "elapsed_s") >= 0.9 * figure(r, name, "alone_s"));
      CHECK(figure(r, name, "elapsed_s") <= r.at("elapsed_s").to_number<double>());
    }
    CHECK(figure(r, "sharing", "fairness") > 1. / 3);
    CHECK(figure(r, "sharing", "fairness") <= 1);
  }
}

TEST_CASE("a short collective waits for a long one that came first, unless they take turns") {
  std::vector<machine::Config> configs;
  for (const auto order : {TransferOrder::first_come, TransferOrder::round_robin}) {
    auto long_one = job(2, "rb", 8192, 2 << 20), short_one = job(2, "rb", 8192, 128 << 10);
    configs.push_back(shared("disk-directed", {long_one, short_one}));
    configs.back().file_system.kind.as<Params>().several = order;
    // Where blocks lie in a row, taking turns makes the arm go to and fro, and both lose.
    configs.back().file_system.layout = "random-blocks";
  }
  const auto r = run_each(configs);
  CHECK(figure(r[0], "job1", "slowdown") > 4);
  CHECK(figure(r[1], "job1", "slowdown") < 4);
  CHECK(figure(r[1], "sharing", "fairness") > figure(r[0], "sharing", "fairness"));
}

TEST_CASE("applications of one processor or with nothing to share run as if they were alone") {
  auto config = shared("traditional-caching", {job(1, "rb", 8192, 64 << 10), job(1, "rb", 8192, 64 << 10)});
  config.workload.compare_alone = false;
  const auto r = run_each({config, config});
  CHECK(count(r[0], "calls") == 2);
  CHECK(r[0].at("job0").as_object().size() == 1);
  CHECK_FALSE(r[0].contains("sharing"));
}

TEST_CASE("fairness is 1 for equals and 1/n if one has all") {
  CHECK(machine::fairness({3, 3, 3}) == Approx(1));
  CHECK(machine::fairness({5, 0, 0, 0}) == Approx(0.25));
  CHECK(machine::fairness({1, 2}) == Approx(0.9));
}

TEST_CASE("jobs that do not have all compute processors are refused") {
  auto config = shared("disk-directed", {job(2, "rb", 8192, 64 << 10), job(2, "rb", 8192, 64 << 10)});
  config.machine.compute_processors = 5;
  try {
    run_each({config, config});
    FAIL("accepted");
  } catch (const ConfigError& e) {
    CHECK_THAT(e.what(),
               ContainsSubstring(
                   "workload.jobs: the jobs have 4 compute processors together; the machine has 5, and each must "
                   "belong to one job."));
  }
}

TEST_CASE("what is wrong with a job is said of that job") {
  auto config = shared("disk-directed", {job(2, "rb", 8192, 64 << 10), job(1, "wpbbcc", 8192, 64 << 10)});
  CHECK(test::refusal(config) ==
        "workload.jobs.1.pattern: \"wpbbcc\" needs at least 2 compute processors, half of them for each file; there is "
        "1.");
  config = shared("two-phase", {job(2, "rb", 8192, 64 << 10), job(1, "rb", 8192, 64 << 10)});
  config.workload.jobs[1].calls = true;
  CHECK_THAT(test::refusal(config),
             ContainsSubstring("workload.jobs.1.calls is true, but two-phase carries out collectives only"));
  config.workload.jobs[1].calls = false;
  workload::RecordsParams records;
  records.file_size = {60'000};
  records.record_size = {3000};
  config.workload.jobs[1].kind = records;
  CHECK_THAT(test::refusal(config), ContainsSubstring("workload.jobs.1.kind is records, but two-phase does not"));
  config.file_system.kind = test::file_system_of("traditional-caching");
  CHECK_THAT(test::refusal(config), ContainsSubstring("workload.jobs.1.record_size: a block of 8192 bytes"));
}
