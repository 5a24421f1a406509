// SPDX-License-Identifier: MIT
// Block traces on disks, arrays and NVMe drives, in open and closed loops.
#include "models/core/error.h"
#include "platforms/disk/nvme_player.h"
#include "platforms/disk/run.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

namespace sunstar::disk_platform {
using namespace sunstar::literals;
using Catch::Matchers::ContainsSubstring;
using test::TemporaryFolder;

namespace {

const TemporaryFolder& folder() {
  static const TemporaryFolder f;
  return f;
}

template <class Kind>
Config playing(const std::string& table) {
  Config c;
  folder().write("trace.csv", table);
  folder().write("records.csv", "");
  Kind load;
  load.trace = folder().path / "trace.csv";
  c.workload.kind = load;
  c.run.records = folder().path / "records.csv";
  return c;
}

Config on_nvme(Config c) {
  c.machine.nvme.emplace();
  c.machine.nvme->read_tail = 0_us;
  return c;
}

Result result_of(const Config& c) { return run_trial(c, 0).result; }

/// When each request was issued and how long it took, in the order of the ends: "R 8: 1000.0 79782.1".
std::vector<std::string> records() {
  std::istringstream lines(TemporaryFolder::read(folder().path / "records.csv"));
  std::vector<std::string> all;
  std::string line, kind, lbn, sectors, issued, took;
  for (std::getline(lines, line); std::getline(lines, kind, ',');) {
    for (std::string* field : {&lbn, &sectors, &issued, &took}) std::getline(lines, *field, ',');
    std::getline(lines, line);
    all.push_back(kind + ' ' + lbn + ": " + issued);
  }
  return all;
}

}  // namespace

TEST_CASE("requests of a closed loop come a think time after the end of the last one of their device") {
  Config c = playing<TraceParams>(
      "t_ms,device,op,lbn,sectors,think_ms\n0,a,R,8,8,5\n0,b,R,80000,8,\n1,a,R,8000,8,0\n2,b,R,800,8,0\n");
  const Result r = result_of(on_nvme(c));
  CHECK(r.verified);
  CHECK(r.requests == 4);
  // A read takes 79.7797 us; b thinks no time, a 5 ms. A read of the same time waits 1.5 us for the controller.
  CHECK(records() == std::vector<std::string>{"R 8: 0.0", "R 80000: 0.0", "R 800: 81279.7", "R 8000: 5079779.7"});
  c.workload.kind.as<TraceParams>().think_scale = 2;
  result_of(on_nvme(c));
  CHECK(records().back() == "R 8000: 10079779.7");
  c.workload.kind.as<TraceParams>().depth = 2;
  result_of(on_nvme(c));
  CHECK(std::ranges::count(records(), "R 8000: 0.0") == 1);
}

TEST_CASE("think times are those between a response and the next request, or there are none") {
  const std::string table = "t_ms,op,lbn,sectors,response_ms\n0,R,8,8,2\n10,R,8000,8,1\n10.5,R,800,8,1\n";
  Config c = playing<TraceParams>(table);
  CHECK(result_of(on_nvme(c)).verified);
  CHECK(records()[1] == "R 8000: 8079779.7");
  CHECK(records()[2] == "R 800: 8159559.4");  // recorded before the end of the one before
  c = playing<TraceParams>("t_ms,op,lbn,sectors\n0,R,8,8\n");
  CHECK_THROWS_WITH(result_of(c), ContainsSubstring("workload.think_scale=0 plays it as fast as possible"));
  c.workload.kind.as<TraceParams>().think_scale = 0;
  CHECK(result_of(c).verified);
}

TEST_CASE("an NVMe drive serves requests at their times, and measured response times are compared") {
  const Result r = result_of(
      on_nvme(playing<ArrivalsParams>("t_ms,op,lbn,sectors,response_ms\n1,R,8,8,0.08\n1,R,80000,8,0.07\n2,W,16,8,\n")));
  CHECK(r.verified);
  CHECK(records()[1] == "R 80000: 1000000.0");
  CHECK(*r.reads.max_ms == Approx(0.081782).epsilon(0.0001));
  REQUIRE(r.measured);
  CHECK(r.measured->count == 2);  // the write's is not known
  CHECK(*r.measured->mean_ms == Approx(0.075));
  // Sorted: 0.07 and 0.08 measured, 0.079782 and 0.081782 simulated.
  CHECK(r.demerit->ms == Approx(std::sqrt((std::pow(0.009782, 2) + std::pow(0.001782, 2)) / 2)).epsilon(0.001));
  CHECK(r.warnings.empty());
}

TEST_CASE("requests wait in the host while all NVMe queues are full") {
  std::string table = "t_ms,op,lbn,sectors\n";
  for (int i = 0; i < 20; ++i) table += "0,R," + std::to_string(8 * i) + ",8\n";
  Config c = on_nvme(playing<ArrivalsParams>(table));
  c.machine.nvme->queues = 1;
  c.machine.nvme->queue_depth = 2;
  CHECK(*result_of(c).reads.max_ms == Approx(20 * 0.079782).epsilon(0.001));  // one at a time
}

TEST_CASE("a drive with 4-KiB sectors reads those that a write changes in part before it writes") {
  for (const bool by_driver : {false, true}) {
    Config c = playing<TraceParams>("t_ms,op,lbn,sectors,think_ms\n0,W,8,16,0\n1,W,20,8,0\n2,R,3,2,0\n");
    c.machine.disk.sector_size = Bytes{4096};
    c.workload.kind.as<TraceParams>().depth = by_driver ? 2 : 1;
    const Result r = result_of(c);
    CHECK(r.verified);
    CHECK(r.requests == 3);
    CHECK(r.bytes_moved == (2 + 2 + 1) * 4096);          // whole sectors
    if (by_driver) CHECK(r.array->disk_reads == 2 + 1);  // both sectors of the second write, and the read
  }
}

TEST_CASE("an open loop that a drive cannot keep up with is said") {
  std::string table = "t_ms,op,lbn,sectors\n";
  for (int i = 0; i < 400; ++i) table += std::to_string(i) + ",R," + std::to_string(i * 7919 % 2000000) + ",8\n";
  Config c = playing<ArrivalsParams>(table);
  const Result fast = result_of(c);
  REQUIRE(fast.warnings.size() == 1);
  CHECK_THAT(fast.warnings.front(), ContainsSubstring("when the last of 400 came, 3"));
  c.workload.kind.as<ArrivalsParams>().time_scale = 40;
  CHECK(result_of(c).warnings.empty());
}

TEST_CASE("the wait of a request in a disk's driver is a part of its time") {
  Config c = playing<ArrivalsParams>("t_ms,op,lbn,sectors\n0,R,8,8\n0,R,80000,8\n");
  const Result r = result_of(c);
  CHECK(*r.work->queue_ms == Approx(*r.reads.p50_ms / 2));  // the second one waits for all of the first one
  c.machine.array.kind = Raid0{};
  CHECK_FALSE(result_of(c).work->queue_ms);
}

TEST_CASE("a block trace of another format is refused with the command that converts it") {
  const Config c = playing<ArrivalsParams>("128166372003061629,hm,1,Read,383496192,32768,413\n");
  CHECK_THROWS_WITH(result_of(c),
                    ContainsSubstring("it is no table with t_ms, lbn, sectors and op; sunstar trace import"));
}

TEST_CASE("requests beyond a drive are refused with the size to map them to") {
  const Config c = playing<TraceParams>("t_ms,op,lbn,sectors,think_ms\n0,R,9999999,8,0\n");
  CHECK_THROWS_WITH(result_of(c), ContainsSubstring("trace.csv:2: blocks 9999999 + 8 go beyond the last one, ") &&
                                      ContainsSubstring("--volume"));
}

}  // namespace sunstar::disk_platform
