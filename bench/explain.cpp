// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <algorithm>
#include <limits>

#include "bench/in_child.h"
#include "platforms/machine/run/config.h"

// What --explain costs: the processor time and the memory of a run with it over those of a run without. The runs take
// turns in one program, and the least of each counts, because other programs on the host can only add time.
namespace sunstar::bench {
namespace {

struct Run {
  double seconds, messages;
  long kib;
};

Run run(const machine::Config& config, bool explain) {
  return in_child([&] {
    kit::Watch watch;
    watch.explain = explain;
    const auto trial = run_trial(config, 0, watch);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return Run{trial.host.cpu_seconds, static_cast<double>(trial.result.messages), usage.ru_maxrss};
  });
}

void explain(benchmark::State& state, const char* file_system, const char* pattern, std::uint64_t record) {
  machine::Config config;
  config.file_system.kind.choose(file_system);
  auto& work = config.workload.kind.as<workload::PatternParams>();
  work.pattern = pattern;
  work.record_size = {record};
  double plain = std::numeric_limits<double>::max(), explained = plain;
  Run last{}, before{};
  for (auto _ : state) {
    before = run(config, false);
    last = run(config, true);
    plain = std::min(plain, before.seconds);
    explained = std::min(explained, last.seconds);
    state.SetIterationTime(last.seconds);
  }
  state.counters["times_the_time"] = explained / plain;
  state.counters["times_the_memory"] = static_cast<double>(last.kib) / static_cast<double>(before.kib);
  state.counters["messages"] = last.messages;
  state.counters["ns_per_message"] = (explained - plain) / last.messages * 1e9;
}
BENCHMARK_CAPTURE(explain, traditional_caching_rc_8B, "traditional-caching", "rc", 8)
    ->UseManualTime()
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(explain, traditional_caching_rb_8K, "traditional-caching", "rb", 8192)
    ->UseManualTime()
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(explain, disk_directed_wb_8K, "disk-directed", "wb", 8192)
    ->UseManualTime()
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sunstar::bench
