// SPDX-License-Identifier: MIT
// Accelerators that train a model on samples from files.
#include <map>

#include "models/core/error.h"
#include "platforms/machine/run/config.h"
#include "sw/workload/training/params.h"
#include "sw/workload/workload.h"
#include "tests/support/catch.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;
using Catch::Matchers::ContainsSubstring;
using test::count;
using test::run_each;
using workload::Shuffle;
using workload::TrainingParams;

namespace {

/// Two accelerators a node, two threads each, batches of 2 samples of about 1 KiB: 12 files.
TrainingParams small_training() {
  TrainingParams params;
  params.accelerators = params.readers = params.batch_size = 2;
  params.files = 12;
  params.sample_size = 1_KiB;
  params.compute = 1_ms;
  params.warm_up = 0;
  return params;
}

struct Call {
  std::uint32_t process, file;
  std::uint64_t offset, bytes;
  Duration think;
  bool operator==(const Call&) const = default;
};

/// What the reading threads of two nodes read, in order by thread.
std::vector<Call> reads_of(const TrainingParams& params, std::uint64_t seed = 1) {
  workload::MachineSizes machine;
  machine.processors = 2;
  machine.seed = seed;
  const auto work = make(params, machine);
  std::vector<Call> all;
  for (std::uint32_t p = 0; p < work->teams().front().processors; ++p) {
    const auto calls = work->accesses(p);
    for (workload::Access a; calls->next(a);)
      if (a.bytes > 0) all.push_back({p, a.file, a.offset, a.bytes, a.think});
  }
  return all;
}

std::map<std::pair<std::uint32_t, std::uint64_t>, int> times_read(const std::vector<Call>& calls) {
  std::map<std::pair<std::uint32_t, std::uint64_t>, int> all;
  for (const Call& call : calls) ++all[{call.file, call.offset}];
  return all;
}

/// So many nodes with two accelerators each, on the cluster of NVMe drives.
machine::Config machine_of(std::uint32_t nodes, const TrainingParams& params, std::string_view kind = "locking") {
  machine::Config config = machine::preset("nvme-cluster");
  config.machine.compute_processors = nodes;
  config.machine.io_processors = 1;
  config.machine.disks = 4;
  config.file_system.kind = test::file_system_of(kind);
  config.workload.kind = params;
  return config;
}

const boost::json::object& training_of(const boost::json::object& result) {
  CHECK(result.at("verified").as_bool());
  CHECK_FALSE(result.contains("job0"));  // its teams are one application
  return result.at("training").as_object();
}
double figure(const boost::json::object& section, const char* name) { return section.at(name).to_number<double>(); }

}  // namespace

TEST_CASE("an epoch of a training reads each sample once, and another epoch or seed in another order") {
  TrainingParams params = small_training();
  params.files = 16;
  CHECK(times_read(reads_of(params)).size() == 16);
  params.epochs = 2;
  const auto both = reads_of(params);
  for (const auto& [sample, times] : times_read(both)) CHECK(times == 2);
  CHECK(times_read(both).size() == 16);
  CHECK(reads_of(params) == both);
  CHECK(reads_of(params, 2) != both);
  params.shuffle = Shuffle::none;
  CHECK(reads_of(params, 2) == reads_of(params));
  params.files = 12;  // of an accelerator's three files, two make a batch
  CHECK(times_read(reads_of(params)).size() == 8);
}

TEST_CASE("samples of a file that is read in order are one call, unless a call has a limit") {
  TrainingParams params = small_training();
  params.files = 4;
  params.samples_per_file = 4;
  params.shuffle = Shuffle::files;
  params.sample_cost = 1_ms;
  params.decode_rate = Bandwidth{1.024e6};
  const auto calls = reads_of(params);
  CHECK(calls.size() == 8);
  CHECK(std::ranges::all_of(calls, [](const Call& c) { return c.bytes == 2048 && c.think == Duration{}; }));
  params.request_size = 1500_B;
  const auto limited = reads_of(params);
  CHECK(limited.size() == 16);
  CHECK(limited[1] == Call{0, calls[0].file, calls[0].offset + 1500, 548, {}});
  // Two samples by themselves: the second waits until the first is decoded, 1 ms and 1 KiB at 1.024 MB/s.
  params = small_training();
  params.sample_cost = 1_ms;
  params.decode_rate = Bandwidth{1.024e6};
  CHECK(reads_of(params)[1].think == 2_ms);
}

TEST_CASE("sizes of samples spread as they should") {
  TrainingParams params = small_training();
  params.files = 10000;
  params.sample_size = 1_MiB;
  params.sample_size_deviation = 100_KiB;
  double sum = 0, squares = 0;
  const auto files = make(params, {})->files();
  for (const auto& file : files) {
    const double off = static_cast<double>(file.bytes) - (1 << 20);
    sum += off;
    squares += off * off;
  }
  CHECK(std::abs(sum / 10000) < 3 * 102400 / 100.0);
  CHECK(std::sqrt(squares / 10000) == Approx(102400).epsilon(0.03));
}

TEST_CASE("an accelerator that never waits is always utilised, and one that waits by what it waits") {
  TrainingParams params = small_training();
  params.accelerators = 1;
  params.files = 400;
  params.steps = 20;
  params.warm_up = 4;
  TrainingParams slow = params;
  slow.sample_size = 32_MiB;
  TrainingParams costly = params;
  costly.step_cost = 250_us;
  const auto results = run_each({machine_of(1, params), machine_of(1, slow), machine_of(1, costly)});
  const auto& idle = training_of(results[0]);
  CHECK(figure(idle, "utilisation") == Approx(1).epsilon(1e-3));
  CHECK(figure(idle, "wall_s") == Approx(16e-3).epsilon(1e-3));
  CHECK(figure(idle, "samples_per_s") == Approx(2 / 1e-3).epsilon(1e-3));
  const auto& busy = training_of(results[1]);
  const double waited = figure(busy.at("waited").as_object(), "mean_s");
  CHECK(waited > 0.1e-3);
  CHECK(figure(busy, "utilisation") == Approx(1e-3 / (1e-3 + waited)).epsilon(0.02));
  CHECK(figure(training_of(results[2]), "utilisation") == Approx(1 / 1.25).epsilon(1e-3));
  CHECK(figure(busy, "bytes_per_s") == Approx(figure(busy, "samples_per_s") * (32 << 20)));
}

TEST_CASE("threads read no further ahead than prefetch allows, and no further than the last step") {
  TrainingParams params = small_training();
  params.files = 400;
  params.steps = 3;
  params.compute = 100_ms;
  // Of each of 2 accelerators: when the third step begins, 3 batches are taken and 2 * 2 more are there.
  const auto result = run_each({machine_of(1, params)})[0];
  training_of(result);
  CHECK(count(result, "bytes_moved") == 2 * 7 * 2 * 1024);
}

TEST_CASE("accelerators combine their results by messages, which leave the samples alone") {
  TrainingParams params = small_training();
  params.allreduce = 4_MiB;
  const auto result = run_each({machine_of(2, params)})[0];
  CHECK(count(training_of(result), "steps") == 1);
  CHECK(count(result, "bytes_moved") == 2 * (4 << 20) + 8 * 1024);
}

TEST_CASE("a checkpoint stalls training until its shards are on disk, or until they are in memory") {
  TrainingParams params = small_training();
  params.files = 400;
  params.steps = 5;
  params.compute = 100_ms;
  params.checkpoint.every = 2;
  params.checkpoint.shard = 64_MiB;
  params.checkpoint.restart = true;
  TrainingParams behind = params;
  behind.checkpoint.background = true;
  behind.checkpoint.snapshot_rate = Bandwidth{6.4e9};
  for (const char* kind : {"locking", "versioned"}) {
    const auto results = run_each({machine_of(2, params, kind), machine_of(2, behind, kind)});
    const auto section = [&](int i) { return training_of(results[i]).at("checkpoint").as_object(); };
    CHECK(count(section(0), "count") == 2);
    const double stall = figure(section(0), "stall_s");
    // Four shards over one link of 25 GB/s.
    CHECK(stall > 4 * 67.1e6 / 25e9);
    CHECK(figure(training_of(results[0]), "wall_s") == Approx(5 * 0.1 + 2 * stall).epsilon(0.01));
    CHECK(figure(section(0), "share") == Approx(2 * stall / figure(training_of(results[0]), "wall_s")));
    CHECK(figure(section(0), "restart_s") > 4 * 67.1e6 / 25e9);
    CHECK(figure(section(0), "write_s") == Approx(stall).epsilon(0.01));
    CHECK(figure(section(1), "stall_s") == Approx(67.1e6 / 6.4e9).epsilon(0.01));
    CHECK(figure(section(1), "write_s") > 2 * figure(section(1), "stall_s"));
    // What is read, three shards of each of 4 accelerators, and 8 bytes of each node after each of 5 steps.
    CHECK(count(results[0], "bytes_moved") == (4 * (5 + 4) * 2 * 1024 + 12 * (64ULL << 20) + 5 * 2 * 8));
  }
}

TEST_CASE("a training that a machine cannot have is refused") {
  workload::MachineSizes machine;
  machine.processors = 2;
  const auto refused = [&](const TrainingParams& params, const char* sentence) {
    CHECK_THROWS_WITH(make(params, machine), ContainsSubstring(sentence));
  };
  TrainingParams params = small_training();
  CHECK_THROWS_WITH(run_each({machine_of(2, params, "traditional-caching")}),
                    ContainsSubstring("several processes on a compute processor"));
  params.files = 6;
  refused(params, "workload.files is 6; their samples must be enough for a batch of each of the 4 accelerators");
  params.batch_size = 7;
  refused(params, "batch_size is 7; it must be at most 6");
  params = small_training();
  params.warm_up = 1;
  refused(params, "workload.warm_up is 1; it must be below the 1 steps");
  params.steps = 100'000'000;
  refused(params, "more than 67108864 batches");
}
