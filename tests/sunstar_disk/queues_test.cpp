// SPDX-License-Identifier: MIT
#include "platforms/disk/run.h"
#include "platforms/kit/config.h"
#include "tests/support/catch.h"

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
  for (const std::string& name :
       kit::catalogue_names(kit::project_folder() / catalogue_of<nvme::DriveParams>::folder)) {
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
  CHECK(sentence(queues(load)) == "workload.readers is 0, and workload.write_rate is 0B/s: no job reads or writes.");
  load = {};
  load.write_depth = 2000;
  CHECK(sentence(queues(load)) == "workload.write_depth is 2000; it must be less than machine.nvme.queue_depth, 1024.");
}
