// SPDX-License-Identifier: MIT
#include "sw/registry/file_systems.h"

#include "sw/file_systems/without_files/without_files.h"

namespace sunstar::file_systems {

std::vector<std::string> kinds_that(bool (*test)(const Capabilities&)) {
  std::vector<std::string> names;
  const auto add = [&]<class Params>(const Params&, bool) {
    if (test(Params::can)) names.emplace_back(Params::kind);
  };
  Kinds().for_each(add);
  return names;
}

std::unique_ptr<FileSystem> make(const FileSystemParams& params, Run& run) {
  if (run.job.workload->streams()) return streams(run);
  if (run.job.workload->files().empty()) return messages_only(run);
  return params.kind.visit([&](const auto& kind) { return make(kind, run); });
}

std::uint64_t memory(const FileSystemParams& params, std::uint64_t compute_processors, std::uint64_t disks,
                     std::uint64_t disks_of_node) {
  const Sizes sizes{compute_processors, disks, disks_of_node, params.block_size.count};
  // The rest holds the message of a source of streams, too, at most 1 MiB.
  const std::uint64_t requests = 2 * compute_processors * disks_of_node * sizes.block_bytes;  // being served
  // Requests of a redundant store that are under way at a time: those of all caches, collectives and clients.
  const std::uint64_t of_store = io::memory(params.store, disks_of_node, 64 + 2 * disks_of_node, sizes.block_bytes);
  return params.kind.visit([&](const auto& kind) { return memory(kind, sizes); }) + requests + of_store + (16 << 20);
}

std::vector<std::optional<io::Stripes>> stripes(const FileSystemParams& params, const workload::Workload& workload,
                                                const io::Volume& volume) {
  std::vector<std::optional<io::Stripes>> all(workload.files().size());
  params.kind.visit([&](const auto& kind) {
    if constexpr (requires { stripes(kind, workload, volume); }) all = stripes(kind, workload, volume);
    else if constexpr (requires(std::uint32_t number) { stripes(kind, number, number); })
      for (std::uint32_t f = 0; f < all.size(); ++f) all[f] = stripes(kind, f, volume.units());
  });
  return all;
}

std::uint64_t reserved_sectors(const FileSystemParams& params, std::uint64_t sectors, std::uint64_t sector_bytes) {
  const auto block_bytes = static_cast<std::uint32_t>(params.block_size.count);
  return params.kind.visit([&](const auto& kind) -> std::uint64_t {
    if constexpr (requires { reserved_sectors(kind, sectors, sector_bytes, block_bytes); })
      return reserved_sectors(kind, sectors, sector_bytes, block_bytes);
    else return 0;
  });
}

}  // namespace sunstar::file_systems
