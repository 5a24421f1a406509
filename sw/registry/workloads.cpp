// SPDX-License-Identifier: MIT
#include "sw/registry/workloads.h"

#include "sw/registry/jobs_workload.h"

namespace sunstar::workload {

std::unique_ptr<Workload> make(const WorkloadParams& params, std::uint32_t processors) {
  if (!params.jobs.empty()) return std::make_unique<JobsWorkload>(params.jobs, processors);
  return visit([&](const auto& kind) { return make(kind, processors); }, params.kind);
}

}  // namespace sunstar::workload
