// SPDX-License-Identifier: MIT
#include <fstream>

#include "models/core/error.h"
#include "platforms/disk/grid.h"
#include "platforms/disk/run.h"
#include "platforms/disk/simplex.h"
#include "platforms/kit/config.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/shared_folder.h"

using namespace sunstar;
using namespace sunstar::disk_platform;

namespace {

Config queues(QueuesParams load) {
  Config c;
  c.machine.nvme.emplace();
  c.machine.nvme->read_tail = 0_us;
  c.workload.kind = load;
  return c;
}

Result played(const Config& c) { return run_trial(c, 0).result; }

GridPoint point(std::uint32_t read_index, double read_rate, double write_MBps) {
  GridPoint p;
  p.read_index = read_index;
  p.read_rate = read_rate;
  p.write_bytes_per_s = write_MBps * 1e6;
  p.read_bytes = 512;
  return p;
}

}  // namespace

TEST_CASE("one NVMe read at a time takes what a read takes alone") {
  QueuesParams load;
  load.read_depth = 1;
  load.submit_time = 0_us;
  load.warm_up = 0_us;
  load.duration = 10_ms;
  const Result r = played(queues(load));
  CHECK(r.verified);
  // 2 us queue + 1.5 us command + 50 us die + 4096 B at 800 MB/s = 5.12 us + 4096 B on the link, 1.14 us, + 20 us
  // latency, and 22 ns for 64 and 16 bytes of entries on the link.
  CHECK(*r.reads.p50_ms == Approx(0.079782).epsilon(0.0005));
  CHECK(*r.reads.p999_ms == Approx(*r.reads.p50_ms));
  CHECK(r.requests == 126);  // of 79.8 us each in 10 ms, the last one submitted before the end
  CHECK(r.throughput.requests_per_s == Approx(12500));  // which the other 125 have reached
  CHECK(r.throughput.medium_mib_per_s <= r.throughput.mib_per_s);
  CHECK_FALSE((r.work || r.work_share || r.buffer));  // parts of a disk
}

TEST_CASE("a deeper NVMe queue reads faster until the queue's own time limits it") {
  const auto rate = [](std::uint32_t depth) {
    QueuesParams load;
    load.read_depth = depth;
    load.submit_time = 0_us;
    load.duration = 20_ms;
    return played(queues(load)).throughput.requests_per_s;
  };
  CHECK(rate(8) > 7 * rate(1) * 0.9);
  CHECK(rate(256) == Approx(1 / 2e-6).epsilon(0.03));  // 2 us a command
}

TEST_CASE("paced and Poisson readers keep their rate, and a writer its bandwidth") {
  for (const Pacing pacing : {Pacing::paced, Pacing::poisson}) {
    QueuesParams load;
    load.readers = 4;
    load.pacing = pacing;
    load.read_rate = 50000;
    load.write_rate = 200_MBps;
    load.duration = 100_ms;
    const Result r = played(queues(load));
    CHECK(r.verified);
    CHECK(static_cast<double>(r.reads.count) == Approx(5000).epsilon(pacing == Pacing::paced ? 0.01 : 0.05));
    CHECK(static_cast<double>(r.writes.count) == Approx(200e6 / (128 << 10) / 10).epsilon(0.02));
  }
}

TEST_CASE("a job that quiesces sends its commands in bursts") {
  QueuesParams load;
  load.pacing = Pacing::paced;
  load.read_rate = 50000;
  load.submit_time = 0_us;
  load.duration = 100_ms;
  const Result bursts = played(queues(load));
  load.quiesce = false;
  const Result even = played(queues(load));
  CHECK(bursts.reads.count == Approx(even.reads.count).epsilon(0.01));
  CHECK(*bursts.reads.p95_ms > *even.reads.p95_ms + 0.002);  // a command waits for those of its burst, 2 us each
}

TEST_CASE("faults of an NVMe drive end its commands with a status") {
  QueuesParams load;
  load.read_depth = 1;
  load.warm_up = 0_us;
  load.duration = 5_ms;
  Config c = queues(load);
  c.machine.driver.timeout = 1_ms;
  Fault fault;
  fault.place = "disk";
  fault.effect = disk::FaultEffects(disk::Hang{});
  c.faults.push_back(fault);
  const Result hung = played(c);
  REQUIRE(hung.faults);
  CHECK(hung.faults->struck == 1);
  CHECK(hung.faults->failed_commands == 2);  // one hangs, and the next is told of the reset
  CHECK(hung.verified);
  c.workload.kind.as<QueuesParams>().write_rate = 200_MBps;  // a write every 0.66 ms, while the drive hangs
  CHECK(played(c).faults->failed_commands >= 3);
  c.workload.kind.as<QueuesParams>().write_rate = {0};
  c.faults[0].effect = disk::FaultEffects(disk::Dead{});
  const Result dead = played(c);
  CHECK(dead.reads.count == 0);
  CHECK(dead.faults->failed_commands == 5);  // one a millisecond
}

TEST_CASE("every NVMe drive of the catalogue can run a load") {
  for (const std::string& name : kit::catalogue_names(kit::default_catalogue() / "nvme")) {
    INFO(name);
    kit::ConfigInput input;
    input.settings.add("machine.nvme=" + name);
    input.settings.add("workload.kind=queues");
    input.settings.add("workload.write_rate=100MB/s");
    input.settings.add("workload.duration=5ms");
    const Config config = kit::load_config<Config>(std::move(input));
    CHECK(played(config).verified);
  }
}

TEST_CASE("queues need an NVMe drive, and it needs them") {
  const auto sentence = [](const Config& c) {
    Problems problems;
    check(c, "", problems);
    return problems.empty() ? std::string() : problems.sentences().front();
  };
  Config c = queues({});
  CHECK(sentence(c).empty());
  c.machine.nvme.reset();
  CHECK(sentence(c) == "machine.nvme is missing; a workload of the kind queues needs an NVMe drive.");
  c = queues({});
  c.workload.kind = SyntheticParams{};
  CHECK(sentence(c) == "workload.kind must be queues for an NVMe drive, whose commands come through queues.");
  QueuesParams load;
  load.read_size = Bytes{700};
  CHECK(sentence(queues(load)).starts_with("workload.read_size is 700B; it must be a multiple of"));
  load = {};
  load.readers = 0;
  CHECK(sentence(queues(load)) == "workload.readers is 0, and workload.write_rate is 0B/s: nobody reads or writes.");
  load = {};
  load.write_depth = 2000;
  CHECK(sentence(queues(load)) == "workload.write_depth is 2000; it must be less than machine.nvme.queue_depth, 1024.");
}

TEST_CASE("a grid of measurements is read, and its mistakes are named with their line") {
  test::TemporaryFolder folder;
  const std::string file = folder
                               .write("grid.csv",
                                      "r_idx,w_idx,offered_read_iops,offered_write_MBps,read_block_bytes,read_p50_us,"
                                      "read_p95_us,likely_saturated\n1,2,1000,40,512,80.5,,0\n")
                               .string();
  const auto grid = read_grid(file);
  REQUIRE(grid.size() == 1);
  CHECK(grid[0].read_index == 1);
  CHECK(grid[0].write_bytes_per_s == 40e6);
  CHECK(*grid[0].p50 == 80.5);
  CHECK_FALSE(grid[0].p95);
  CHECK_FALSE(grid[0].judged());
  const std::string wrong = folder
                                .write("wrong.csv",
                                       "r_idx,w_idx,offered_read_iops,offered_write_MBps,read_block_bytes,"
                                       "read_p50_us,read_p95_us\n1,2,0,40,512,80,90\n")
                                .string();
  CHECK_THROWS_WITH(read_grid(wrong), Catch::Matchers::ContainsSubstring("wrong.csv:2") &&
                                          Catch::Matchers::ContainsSubstring("more than 0"));
}

TEST_CASE("the simplex finds the bottom of a valley") {
  const auto valley = [](const Point& p) {
    return std::abs(p[0] - 1) + 3 * std::abs(p[1] + 2) + std::abs(p[0] + p[1] + 1);
  };
  const Point bottom = minimum({0, 0}, 0.4, 200, valley);
  CHECK(bottom[0] == Approx(1).margin(0.01));
  CHECK(bottom[1] == Approx(-2).margin(0.01));
}

TEST_CASE("a fit finds a drive back from its own times") {
  nvme::DriveParams drive;
  drive.dies = 32;
  GridTool tool;
  tool.duration = 10_ms;
  std::vector<GridPoint> grid;
  for (std::uint32_t r = 1; r <= 5; ++r)
    for (const double w : {0., 200.}) grid.push_back(point(r, 40000 * r, w));
  for (auto& p : grid) {
    const Simulated s = simulate(drive, p, tool, 1);
    p.p50 = s.p50;
    p.p95 = s.p95;
  }
  CHECK(disk_platform::distance(drive, grid, tool, 1) == 0);
  nvme::DriveParams other = drive;
  other.read_time = 70_us;
  other.program_time = 600_us;
  const double before = disk_platform::distance(other, grid, tool, 1);
  CHECK(before > 0.15);
  const auto found = fitted(other, grid, tool, 150, 1);
  CHECK(disk_platform::distance(found, grid, tool, 1) < before / 3);
}

TEST_CASE("a fit says what keeps it from a grid, and its drive says where it is from") {
  test::TemporaryFolder folder;
  test::Program program(test::binary_folder() / "sunstar-disk");
  const std::string head =
      "r_idx,w_idx,offered_read_iops,offered_write_MBps,read_block_bytes,read_p50_us,read_p95_us\n";
  const auto fit = [&](const std::string& text) {
    return program(
        {"fit", folder.write("mine.csv", text).string(), "--drive", "aws-i3", "--evaluations", "9", "--duration", "1"});
  };
  std::string points = head;
  for (const char* rate : {"1000", "2000", "3000", "4000"}) points += std::string("1,0,") + rate + ",0,512,80,90\n";
  CHECK(fit(points) == 0);
  CHECK_THAT(program.out, Catch::Matchers::ContainsSubstring("fitted by sunstar-disk fit to mine, from AWS i3"));
  const auto grid = folder.write("mine.csv", points).string(), other = (folder.path / "other").string();
  const std::vector<std::string> no_fit{"fit", grid, "--drive", "aws-i3", "--evaluations", "0", "--duration", "1"};
  const auto fit_to = [&](std::vector<std::string> outputs) {
    outputs.insert(outputs.begin(), no_fit.begin(), no_fit.end());
    return program(outputs);
  };
  CHECK(fit_to({"--points", grid}) == 3);
  CHECK(program.err == "--points is " + grid + ", which is also an input; it must be another file.\n");
  CHECK(fit_to({"--points", other, "--output", other}) == 3);
  CHECK(program.err == "--output and --points name the same file, " + other + ".\n");
  const auto refused = [&](const std::string& text, const char* sentence) {
    CHECK(fit(text) == 3);
    CHECK_THAT(program.err, Catch::Matchers::ContainsSubstring(sentence));
  };
  refused(head + "1,0,1000,0,512,80,90\n", "has 1 point with");
  refused(head + "0,0,1000,0,512,80,90\n", "there is no point to compare with");
  refused(points + "2,0,1000,0,700,80,90\n", "read_block_bytes is 700; it must be a multiple of");
  refused(points + "2,0,-5,0,512,80,90\n", "mine.csv:6: offered_read_iops: \"-5\"");
  refused(points + "2,0,2e9,0,512,80,90\n", "mine.csv:6: offered_read_iops: \"2e9\"");
  refused("r_idx,w_idx\n1,0\n", "there is no column \"offered_read_iops\"");
}
