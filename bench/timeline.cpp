// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

#include "bench/in_child.h"
#include "platforms/machine/run/config.h"

// What a timeline or a log costs the host. One program runs the same machine with and without one in turn and takes the
// least of each.
namespace sunstar::bench {
namespace {

struct Run {
  double seconds, entries;  // spans or lines
};

/// `level` of the log; without it, a timeline.
void recorded(benchmark::State& state, const char* file_system, std::uint64_t record, const char* file_name,
              std::optional<LogLevel> level) {
  machine::Config config;
  config.file_system.kind.choose(file_system);
  auto& work = config.workload.kind.as<workload::PatternParams>();
  work.pattern = "rc";
  work.record_size = {record};
  const auto file =
      std::filesystem::temp_directory_path() / ("sunstar-bench-" + std::to_string(::getpid()) + file_name);
  const auto run = [&](bool with) {
    kit::Watch watch;
    if (with) (level ? watch.log : watch.timeline) = file;
    if (level) watch.log_options.level = *level;
    const auto trial = run_trial(config, 0, watch);
    const auto& watched = trial.host.watched;
    const auto entries = watched ? (level ? watched->log_lines : watched->timeline_spans) : std::nullopt;
    return Run{trial.host.cpu_seconds, static_cast<double>(entries.value_or(0))};
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
  state.counters["entries"] = last.entries;
  state.counters["ratio"] = with / without;
  state.counters["ns_per_entry"] = (with - without) / last.entries * 1e9;
}
void timeline(benchmark::State& state, const char* file_system, std::uint64_t record, const char* file_name) {
  recorded(state, file_system, record, file_name, std::nullopt);
}
BENCHMARK_CAPTURE(timeline, traditional_caching_8KiB, "traditional-caching", 8192, ".json")
    ->UseManualTime()
    ->Iterations(10)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timeline, traditional_caching_8KiB_gz, "traditional-caching", 8192, ".json.gz")
    ->UseManualTime()
    ->Iterations(10)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timeline, traditional_caching_8KiB_ftr, "traditional-caching", 8192, ".ftr")
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

void log(benchmark::State& state, LogLevel level) { recorded(state, "traditional-caching", 8192, ".log", level); }
BENCHMARK_CAPTURE(log, info, LogLevel::info)->UseManualTime()->Iterations(10)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(log, debug, LogLevel::debug)->UseManualTime()->Iterations(10)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(log, trace, LogLevel::trace)->UseManualTime()->Iterations(10)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sunstar::bench
