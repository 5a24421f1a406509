// SPDX-License-Identifier: MIT
#include "platforms/machine/placing.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "models/core/random.h"
#include "sw/workload/content.h"

namespace sunstar::machine {

io::Volume place_files(const workload::Workload& workload, Machine& machine,
                       const file_systems::FileSystemParams& params, std::uint64_t seed) {
  io::Volume volume(machine.disk_places(), machine.sector_bytes(), static_cast<std::uint32_t>(params.block_size.count));
  const auto& policy = io::layout_policy(params.layout);
  const io::Striping striping = volume.striping();
  std::vector<io::DiskSpace> spaces;
  for (std::size_t d = 0; d < machine.disk_count(); ++d) {
    const scsi::Target& disk = machine.disk(d);
    const std::uint32_t outermost = disk.drive().params().zones.front().sectors_per_track;
    spaces.emplace_back(io::DiskShape{disk.sectors(), disk.sector_size(), outermost}, disk.name());
    const std::uint64_t reserved = file_systems::reserved_sectors(params, disk.sectors(), disk.sector_size());
    if (reserved > 0 && reserved < disk.sectors()) spaces.back().take(0, reserved);
  }
  for (std::size_t f = 0; f < workload.files().size(); ++f) {
    const workload::FileSpec& spec = workload.files()[f];
    io::StoredFile stored;
    if (spec.created && file_systems::creates_files(params)) {
      // Where its blocks will lie the file system decides, but there must be room for them.
      for (std::uint32_t d = 0; d < spaces.size(); ++d) {
        RandomStream random(seed, "room");
        const io::LayoutRequest request{striping.blocks_on_disk(spec.bytes, d), striping.block_bytes, 0, spec.name};
        io::place_blocks(io::layout_policy("contiguous"), request, spaces[d], random);
      }
      stored.on_disk.resize(spaces.size());
      volume.add(std::move(stored));
      continue;
    }
    stored.bytes = spec.bytes;
    for (std::uint32_t d = 0; d < spaces.size(); ++d) {
      RandomStream random(seed, "layout " + std::to_string(f) + " on " + spaces[d].name());
      const io::LayoutRequest request{striping.blocks_on_disk(spec.bytes, d), striping.block_bytes, 0, spec.name};
      stored.on_disk.push_back(io::place_blocks(policy, request, spaces[d], random));
    }
    volume.add(std::move(stored));
  }
  return volume;
}

void fill_media(Machine& machine, const io::Volume& volume) {
  std::vector<std::byte> block(volume.block_bytes());
  for (std::uint32_t f = 0; f < volume.file_count(); ++f)
    for (std::uint64_t b = 0; b < volume.blocks(f); ++b) {
      workload::content::fill(f, 0, b * volume.block_bytes(), std::span(block));
      machine.disk(volume.disk_of(b)).medium().write(volume.sector_of(f, b) * volume.sector_bytes(), block);
    }
}

std::vector<file_systems::RawDisk> raw_disks(Machine& machine) {
  std::vector<file_systems::RawDisk> disks;
  for (std::size_t d = 0; d < machine.disk_count(); ++d) {
    disk::Medium& medium = machine.disk(d).medium();
    const std::uint64_t sector_bytes = machine.sector_bytes();
    disks.push_back({machine.disk(d).sectors(),
                     [&medium, sector_bytes](std::uint64_t sector, std::span<const std::byte> bytes) {
                       medium.write(sector * sector_bytes, bytes);
                     },
                     [&medium, sector_bytes](std::uint64_t sector, std::span<std::byte> bytes) {
                       medium.read(sector * sector_bytes, bytes);
                     }});
  }
  return disks;
}

void fill_memories(const workload::Job& job) {
  if (std::ranges::none_of(job.workload->files(), &workload::FileSpec::written)) return;
  workload::Access a;
  for (std::uint32_t p = 0; p < job.workload->processors(); ++p)
    for (const auto source = job.workload->accesses(p); source->next(a);)
      if (a.operation == workload::Operation::write)
        workload::content::fill(a.file, 1, a.offset, std::span(job.memory[p].base + a.memory, a.bytes));
}

}  // namespace sunstar::machine
