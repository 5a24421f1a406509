// SPDX-License-Identifier: MIT
#include <string>

#include "models/core/error.h"
#include "sw/file_systems/file_system.h"

namespace sunstar::file_systems {

void require_whole_records(const Run& run) {
  const workload::Workload& workload = *run.job.workload;
  const std::uint64_t block_bytes = run.volume.block_bytes();
  for (const workload::Collective& collective : workload.collectives())
    if (collective.selection && block_bytes % collective.selection->record_bytes != 0)
      throw ConfigError(workload.path(collective.team) + ".record_size: a block of " + std::to_string(block_bytes) +
                        " bytes (file_system.block_size) does not hold a whole number of records of " +
                        std::to_string(collective.selection->record_bytes) +
                        " bytes; choose a record size that divides the block size.");
}

}  // namespace sunstar::file_systems
