// SPDX-License-Identifier: MIT
#include "sw/workload/params.h"

#include "models/core/error.h"
#include "sw/workload/pattern/pattern_workload.h"
#include "sw/workload/trace/trace_workload.h"

namespace sunstar::workload {

void check(const PatternParams& params, const std::string& path, Problems& problems) {
  try {
    parse_pattern(params.pattern);
  } catch (const ConfigError& error) {
    std::string_view what = error.what();
    what.remove_prefix(std::string_view("workload.pattern ").size());
    what.remove_suffix(1);  // the full stop
    problems.add(json_path(path, "pattern"), std::string(what));
  }
}

std::unique_ptr<Workload> make(const PatternParams& params, std::uint32_t processors) {
  return std::make_unique<PatternWorkload>(params, processors);
}

std::unique_ptr<Workload> make(const TraceParams& params, std::uint32_t processors) {
  return std::make_unique<TraceWorkload>(params, processors);
}

std::unique_ptr<Workload> make(const WorkloadParams& params, std::uint32_t processors) {
  return visit([&](const auto& kind) { return make(kind, processors); }, params.kind);
}

}  // namespace sunstar::workload
