// SPDX-License-Identifier: MIT
#include "sw/registry/workloads.h"

#include "sw/registry/jobs_workload.h"

namespace sunstar::workload {

std::unique_ptr<Workload> make(const WorkloadParams& params, const MachineSizes& machine) {
  if (!params.jobs.empty()) return std::make_unique<JobsWorkload>(params.jobs, machine);
  return params.kind.visit([&](const auto& kind) { return make(kind, machine); });
}

}  // namespace sunstar::workload
