// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>

#include "bench/in_child.h"
#include "platforms/torus/config.h"

// What a timeline costs the host. One program runs the same machine with and without one in turn and takes the least of
// each.
namespace sunstar::bench {
namespace {

struct Run {
  double seconds, set_up, spans;
};

void timeline(benchmark::State& state, const char* file_system, std::uint64_t record, const char* file_name) {
  torus::Config config;
  config.file_system.kind.choose(file_system);
  auto& work = config.workload.kind.as<workload::PatternParams>();
  work.pattern = "rc";
  work.record_size = {record};
  kit::Watch watch;
  const auto file =
      std::filesystem::temp_directory_path() / ("sunstar-bench-" + std::to_string(::getpid()) + file_name);
  const auto run = [&](bool with) {
    watch.timeline.reset();
    if (with) watch.timeline = file;
    const auto trial = run_trial(config, 0, watch);
    const auto& watched = trial.host.watched;
    return Run{trial.host.cpu_seconds, trial.host.setup_cpu_seconds,
               watched ? static_cast<double>(watched->timeline_spans.value_or(0)) : 0};
  };
  double without = std::numeric_limits<double>::max(), with = without;
  Run last{};
  for (auto _ : state) {
    without = std::min(without, in_child([&] { return run(false); }).seconds);
    last = in_child([&] { return run(true); });
    with = std::min(with, last.seconds);
    state.SetIterationTime(last.seconds);
  }
  std::error_code ignored;
  state.counters["file_bytes"] = static_cast<double>(std::filesystem::file_size(file, ignored));
  std::filesystem::remove(file, ignored);
  state.counters["spans"] = last.spans;
  state.counters["ratio"] = with / without;
  state.counters["ns_per_span"] = (with - without) / last.spans * 1e9;
}
BENCHMARK_CAPTURE(timeline, traditional_caching_8KiB, "traditional-caching", 8192, ".json")
    ->UseManualTime()
    ->Iterations(10)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timeline, traditional_caching_8KiB_gz, "traditional-caching", 8192, ".json.gz")
    ->UseManualTime()
    ->Iterations(10)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timeline, disk_directed_8KiB, "disk-directed", 8192, ".json")
    ->UseManualTime()
    ->Iterations(10)
    ->Unit(benchmark::kMillisecond);
// A file that takes all of it would have some GB: most spans meet the limit.
BENCHMARK_CAPTURE(timeline, traditional_caching_8B, "traditional-caching", 8, ".json")
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sunstar::bench
