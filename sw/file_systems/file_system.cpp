// SPDX-License-Identifier: MIT
#include "sw/file_systems/file_system.h"

#include "sw/file_systems/capabilities.h"

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

void Losses::stops(const workload::Job& job, std::uint32_t p, bool makes_calls) {
  processors.push_back(p);
  if (makes_calls) {
    requests::Calls its_calls(job.workload->accesses(p));
    std::uint64_t ended = job.record.units_of(p);
    for (requests::Access access; its_calls.next(access);) {
      if (access.bytes == 0 || (ended > 0 && ended-- > 0)) continue;
      ++calls;
      bytes += access.bytes;
      if (access.operation == requests::Operation::write) ranges.push_back({access.file, access.offset, access.bytes});
    }
    return;
  }
  const auto& collectives = job.workload->collectives();
  for (std::size_t c = job.record.units(); c < collectives.size(); ++c) {
    const workload::Collective& collective = collectives[c];
    if (collective.operation == requests::Operation::read) continue;
    std::uint64_t at = 0;
    while (const auto piece = collective.mapping->chunk(p, at)) {
      at = piece->memory_offset + piece->bytes;
      ranges.push_back({collective.file, piece->file_offset, piece->bytes});
    }
  }
}

void require_whole_records(const Run& run) {
  const workload::Workload& workload = *run.job.workload;
  const std::uint64_t block_bytes = run.volume.block_bytes();
  for (const workload::Collective& collective : workload.collectives())
    if (collective.selection && block_bytes % collective.selection->record_bytes != 0)
      throw ConfigError(workload.path(collective.team), ".record_size: a block of ", block_bytes,
                        " bytes (file_system.block_size) does not hold a whole number of records of ",
                        collective.selection->record_bytes,
                        " bytes; choose a record size that divides the block size.");
}

}  // namespace sunstar::file_systems
