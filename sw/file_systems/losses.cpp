// SPDX-License-Identifier: MIT
#include "sw/file_systems/losses.h"

#include "sw/workload/job.h"

namespace sunstar::file_systems {

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

}  // namespace sunstar::file_systems
