// SPDX-License-Identifier: MIT
#include "sw/registry/workloads.h"

namespace sunstar::workload {

std::unique_ptr<Workload> make(const WorkloadParams& params, std::uint32_t processors) {
  return visit([&](const auto& kind) { return make(kind, processors); }, params.kind);
}

}  // namespace sunstar::workload
