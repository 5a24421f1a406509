// SPDX-License-Identifier: MIT
#include "platforms/machine/placing.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "models/core/content/generator.h"
#include "models/core/random.h"

namespace sunstar::machine {

io::Volume place_files(const workload::Workload& workload, io::Store& store,
                       const file_systems::FileSystemParams& params, std::uint64_t seed) {
  io::Volume volume(store, static_cast<std::uint32_t>(params.block_size.count));
  const auto& chosen = io::layout_policy(params.layout);
  std::vector<io::DiskSpace> spaces;
  for (std::uint32_t u = 0; u < volume.units(); ++u) {
    const io::DiskShape& shape = store.raw(u).shape();
    spaces.emplace_back(shape, store.raw(u).name());
    const std::uint64_t reserved = file_systems::reserved_sectors(params, shape.sectors, shape.sector_bytes);
    if (reserved > 0 && reserved < shape.sectors) spaces.back().take(0, reserved);
  }
  for (std::size_t f = 0; f < workload.files().size(); ++f) {
    const workload::FileSpec& spec = workload.files()[f];
    // The file system places the blocks of a file that it creates, but there must be room for them.
    const bool created = spec.created && file_systems::capabilities(params.kind).creates_files;
    const auto& policy = created ? io::layout_policy("contiguous") : chosen;
    io::StoredFile stored;
    for (std::uint32_t u = 0; u < volume.units(); ++u) {
      RandomStream random(seed, "layout " + std::to_string(f) + " on " + spaces[u].name());
      const io::LayoutRequest request{volume.blocks_on(u, spec.bytes), volume.block_bytes(), 0, spec.name};
      stored.on_unit.push_back(io::place_blocks(policy, request, spaces[u], random));
    }
    if (created) stored.on_unit.assign(volume.units(), {});
    else stored.bytes = spec.bytes;
    volume.add(std::move(stored));
  }
  return volume;
}

void fill_media(io::Store& store, const io::Volume& volume) {
  std::vector<std::byte> block(volume.block_bytes());
  for (std::uint32_t f = 0; f < volume.file_count(); ++f)
    for (std::uint64_t b = 0; b < volume.blocks(f); ++b) {
      content::fill(f, 0, b * volume.block_bytes(), std::span(block));
      store.raw(volume.unit_of(b)).write(volume.sector_of(f, b), block);
    }
}

void fill_memories(const workload::Job& job) {
  if (std::ranges::none_of(job.workload->files(), &workload::FileSpec::written)) return;
  workload::Access a;
  for (std::uint32_t p = 0; p < job.workload->processors(); ++p)
    for (const auto source = job.workload->accesses(p); source->next(a);)
      if (a.operation == workload::Operation::write)
        content::fill(a.file, 1, a.offset, std::span(job.memory[p].base + a.memory, a.bytes));
}

}  // namespace sunstar::machine
