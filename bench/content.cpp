// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <string>

#include "bench/in_child.h"
#include "platforms/machine/run/config.h"

// What a file's data cost the host: how much more memory a run of the machine of TR94-226 takes with a large file than
// with a small one, for each MiB more. It is what their descriptions take, not what their bytes would (1,048,576).
namespace sunstar::bench {
namespace {

constexpr std::uint64_t mib = 1 << 20;

double peak_bytes(machine::Config config, std::uint64_t file_bytes) {
  config.workload.kind.as<workload::PatternParams>().file_size = {file_bytes};
  return 1024.0 * static_cast<double>(in_child([&] {
           run_trial(config, 0);
           rusage usage{};
           getrusage(RUSAGE_SELF, &usage);
           return usage.ru_maxrss;
         }));
}

void content(benchmark::State& state, const char* file_system, const char* layout, const char* pattern,
             std::uint64_t record, std::uint64_t most_mib) {
  machine::Config config;
  config.file_system.kind.choose(file_system);
  config.file_system.layout = layout;
  auto& work = config.workload.kind.as<workload::PatternParams>();
  work.pattern = pattern;
  work.record_size = {record};
  const std::uint64_t least_mib = most_mib / 2;
  double more = 0;
  for (auto _ : state) more = peak_bytes(config, most_mib * mib) - peak_bytes(config, least_mib * mib);
  state.counters["host_bytes_per_mib"] = more / static_cast<double>(most_mib - least_mib);
}

const bool registered = [] {
  struct Case {
    const char* pattern;
    std::uint64_t record, most_mib;
  };
  for (const char* file_system : {"traditional-caching", "disk-directed", "two-phase", "hybrid"})
    for (const char* layout : {"contiguous", "random-blocks"})
      for (const Case& c : {Case{"rb", 8192, 1024}, {"wcc", 8192, 1024}, {"rc", 8, 64}})
        benchmark::RegisterBenchmark(("content/" + std::string(file_system) + "/" + layout + "/" + c.pattern + "/" +
                                      std::to_string(c.record) + "B")
                                         .c_str(),
                                     content, file_system, layout, c.pattern, c.record, c.most_mib)
            ->Iterations(1)
            ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace sunstar::bench
