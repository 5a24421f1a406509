// SPDX-License-Identifier: MIT
#include "sw/file_systems/capabilities.h"

#include <algorithm>

#include "sw/workload/workload.h"

namespace sunstar::file_systems {

bool selects(const workload::Workload& workload, std::uint32_t team) {
  return std::ranges::any_of(workload.collectives(),
                             [team](const workload::Collective& c) { return c.team == team && c.selection; });
}

// Records that are distributed by their bytes are one collective, however the compute processors read them.
workload::Unit unit(const Capabilities& can, const workload::Workload& workload, std::uint32_t team) {
  const bool calls = can.calls && (!can.collectives || workload.teams()[team].calls);
  const bool selecting = !can.collectives && can.selects_records && selects(workload, team);
  return calls && !selecting ? workload::Unit::call : workload::Unit::collective;
}

}  // namespace sunstar::file_systems
