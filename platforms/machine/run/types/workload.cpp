// SPDX-License-Identifier: MIT
#include "platforms/kit/type_of.h"
#include "sw/registry/workloads.h"

namespace sunstar::kit {

template const Type& type_of<workload::WorkloadParams>();

}  // namespace sunstar::kit
