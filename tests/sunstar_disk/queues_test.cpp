// SPDX-License-Identifier: MIT
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include "platforms/disk/run.h"
#include "platforms/kit/config.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using namespace sunstar::disk_platform;

namespace {

Config queues(const QueuesParams& load) {
  Config c;
  c.machine.nvme.emplace();
  c.machine.nvme->read_tail = 0_us;
  c.workload.kind = load;
  return c;
}

Result played(const Config& c) { return run_trial(c, 0).result; }

/// A writer as data sheets have it.
JobParams sequential_writer(Bandwidth rate) {
  JobParams writer;
  writer.reads = 0;
  writer.places = Places::sequential;
  writer.sizes = {{128_KiB}};
  writer.pacing = Pacing::paced;
  writer.rate = rate.bytes_per_second / (128 << 10);
  return writer;
}

/// The commands of a run on a small drive without a warm-up: "R 4096 @8192" each, in order.
std::vector<std::string> commands_of(QueuesParams load, Duration duration = 10_ms) {
  Config c = queues([&] {
    load.warm_up = 0_us;
    load.duration = duration;
    return load;
  }());
  c.machine.nvme->capacity = 1_MiB;
  const test::TemporaryFolder folder;
  c.run.records = folder.path / "records.csv";
  run_trial(c, 0);
  std::vector<std::string> all;
  std::ifstream file(c.run.records);
  std::string line, job, kind, bytes, lbn;
  for (std::getline(file, line); std::getline(file, line);) {
    std::istringstream row(line);
    for (std::string* field : {&job, &kind, &bytes, &lbn}) std::getline(row, *field, ',');
    all.push_back(kind + ' ' + bytes + " @" + std::to_string(std::stoull(lbn) * 512));
  }
  return all;
}

}  // namespace

TEST_CASE("one NVMe read at a time takes what a read takes alone") {
  QueuesParams load;
  load.jobs[0].depth = 1;
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
  CHECK_FALSE((r.work || r.buffer));  // parts of a disk
}

TEST_CASE("a link of PCI Express is as fast as its generation's lanes, less their coding") {
  // Of 280 bytes of a packet 256 are data; 8 of 10 bits, 128 of 130 or 236 of 256 bytes are packets.
  const auto rate = [](std::uint32_t generation) {
    return nvme::LinkParams{.generation = generation}.data_rate().bytes_per_second * 280 / 256;
  };
  CHECK(rate(1) == Approx(4 * 2.5e9 / 8 * 0.8));
  CHECK(rate(5) == Approx(4 * 32e9 / 8 * 128 / 130));
  CHECK(rate(6) == Approx(4 * 64e9 / 8 * 236 / 256));
}

TEST_CASE("a deeper NVMe queue reads faster until the queue's own time limits it") {
  const auto rate = [](std::uint32_t depth) {
    QueuesParams load;
    load.jobs[0].depth = depth;
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
    load.jobs[0].number = 4;
    load.jobs[0].pacing = pacing;
    load.jobs[0].rate = 50000;
    load.jobs.push_back(sequential_writer(200_MBps));
    load.duration = 100_ms;
    const Result r = played(queues(load));
    CHECK(r.verified);
    CHECK(static_cast<double>(r.reads.count) == Approx(5000).epsilon(pacing == Pacing::paced ? 0.01 : 0.05));
    CHECK(static_cast<double>(r.writes.count) == Approx(200e6 / (128 << 10) / 10).epsilon(0.02));
  }
}

TEST_CASE("a job that quiesces sends its commands in bursts") {
  QueuesParams load;
  load.jobs[0].pacing = Pacing::paced;
  load.jobs[0].rate = 50000;
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
  load.jobs[0].depth = 1;
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
  auto& jobs = c.workload.kind.as<QueuesParams>().jobs;
  jobs.push_back(sequential_writer(200_MBps));  // a write every 0.66 ms, while the drive hangs
  CHECK(played(c).faults->failed_commands >= 3);
  jobs.pop_back();
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
    input.settings.add(R"(workload.jobs=[{}, {"reads": 0, "pacing": "paced", "sizes": [{"size": "128KiB"}]}])");
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
  CHECK(sentence(c) == "workload.kind must be queues, arrivals or trace for an NVMe drive.");
  const auto job = [&](auto change) {
    QueuesParams load;
    change(load.jobs[0]);
    return sentence(queues(load));
  };
  using J = JobParams&;
  CHECK(sentence(queues({.jobs = {}})) == "workload.jobs is empty: no job reads or writes.");
  CHECK(job([](J j) { j.sizes[0].size = Bytes{700}; }) ==
        "workload.jobs.0.sizes.0.size is 700B; it must be a multiple of the drive's sector size, 512B, and at most "
        "1900000000000B.");
  CHECK(job([](J j) { j.sizes.clear(); }).starts_with("workload.jobs.0.sizes is empty"));
  CHECK(job([](J j) { j.span = 2048_B; }).starts_with("workload.jobs.0.sizes.0.size is 4096B; it must be"));
  CHECK(job([](J j) { j.offset = 100_B; }).starts_with("workload.jobs.0.offset is 100B"));
  CHECK(job([](J j) { j.offset = j.span = Bytes{1'000'000'000'000}; }).ends_with("and at most 900000000000B."));
  CHECK(job([](J j) { j.depth = 2000; }) ==
        "workload.jobs.0.depth is 2000; it must be less than machine.nvme.queue_depth, 1024.");
  CHECK(job([](J j) {
          j.places = Places::pareto;
          j.skew = 1.2;
        }).starts_with("workload.jobs.0.skew is at least 1"));
}

TEST_CASE("sequential jobs read and write one place after the other in their part of the drive, until they end") {
  QueuesParams load;
  JobParams& job = load.jobs[0];
  job.places = Places::sequential;
  job.offset = 64_KiB;
  job.span = 12_KiB;
  job.amount = 20_KiB;
  job.depth = 1;
  CHECK(commands_of(load) ==
        std::vector<std::string>{"R 4096 @65536", "R 4096 @69632", "R 4096 @73728", "R 4096 @65536", "R 4096 @69632"});
  job.reads = 0.5;  // each direction goes on where its last command ended
  job.amount = {};
  std::uint64_t reads = 0, writes = 0;
  for (const std::string& c : commands_of(load))
    CHECK(c.substr(7) == "@" + std::to_string(65536 + 4096 * ((c[0] == 'R' ? reads++ : writes++) % 3)));
  CHECK(reads > 30);
  CHECK(writes > 30);
}

TEST_CASE("jobs read and write at random in shares, with several sizes, within their part of the drive") {
  QueuesParams load;
  JobParams& job = load.jobs[0];
  job.reads = 0.7;
  job.sizes = {{4_KiB, 3}, {8_KiB, 1}};
  job.offset = 512_KiB;
  job.span = 64_KiB;
  std::uint64_t reads = 0, large = 0, n = 0;
  std::set<std::uint64_t> places;
  for (const std::string& c : commands_of(load, 50_ms)) {
    const std::uint64_t place = std::stoull(c.substr(c.find('@') + 1)), bytes = std::stoull(c.substr(2));
    CHECK((place >= 512 << 10 && place + bytes <= 576 << 10 && place % 4096 == 0));
    places.insert(place);
    ++n;
    reads += c[0] == 'R';
    large += bytes == 8192;
  }
  REQUIRE(n > 2000);
  CHECK(places.size() == 16);
  CHECK(static_cast<double>(reads) / static_cast<double>(n) == Approx(0.7).margin(0.04));
  CHECK(static_cast<double>(large) / static_cast<double>(n) == Approx(0.25).margin(0.04));
}

TEST_CASE("places by Zipf's and Pareto's laws have the shares of the laws") {
  const auto shares = [](Places places, double skew) {
    QueuesParams load;
    load.jobs[0].places = places;
    load.jobs[0].skew = skew;
    load.jobs[0].span = 400_KiB;  // 100 places
    std::map<std::string, double> count;
    const auto all = commands_of(load, 50_ms);
    for (const std::string& c : all) count[c] += 1 / static_cast<double>(all.size());
    std::vector<double> found;
    for (const auto& [_, share] : count) found.push_back(share);
    std::ranges::sort(found, std::greater<>{});
    return found;
  };
  for (const double s : {0.8, 1., 1.2}) {
    double sum = 0;
    for (int k = 1; k <= 100; ++k) sum += std::pow(k, -s);
    // Scattering may put two numbers onto one place, so the greatest shares are at least these.
    CHECK(shares(Places::zipf, s)[0] > 1 / sum - 0.02);
    CHECK(shares(Places::zipf, s)[0] < 1 / sum + 0.06);
  }
  const auto pareto = shares(Places::pareto, 0.2);  // a fifth of the numbers has four fifths of the commands
  CHECK(std::accumulate(pareto.begin(), pareto.begin() + 20, 0.) > 0.78);
  CHECK(shares(Places::uniform, 0.2)[0] < 0.03);
}

TEST_CASE("a job that thinks pauses after each command, when it has ended") {
  QueuesParams load;
  load.jobs[0].depth = 8;
  load.jobs[0].pause = 1_ms;
  // 80 us a read and 1 ms: nine of 1.08 ms end before 10 ms, and the tenth begins.
  CHECK(commands_of(load).size() == 10);
}
