// SPDX-License-Identifier: MIT
#include "sw/file_systems/file_system.h"

#include <cassert>

// One line a file system: its name in the configuration, and the function that makes it, which its own file defines as
//   std::unique_ptr<FileSystem> FUNCTION(System& system)
#define SUNSTAR_FILE_SYSTEMS(FILE_SYSTEM)                 \
  FILE_SYSTEM("traditional-caching", traditional_caching) \
  FILE_SYSTEM("disk-directed", disk_directed)             \
  FILE_SYSTEM("enwrich", enwrich)

namespace sunstar::file_systems {

#define FILE_SYSTEM(name, function) std::unique_ptr<FileSystem> function(System&);
SUNSTAR_FILE_SYSTEMS(FILE_SYSTEM)
#undef FILE_SYSTEM

namespace {
const struct {
  const char* name;
  std::unique_ptr<FileSystem> (*create)(System&);
} kinds[] = {
#define FILE_SYSTEM(name, function) {name, function},
    SUNSTAR_FILE_SYSTEMS(FILE_SYSTEM)
#undef FILE_SYSTEM
};
}  // namespace

std::vector<std::string> file_system_names() {
  std::vector<std::string> names;
  for (const auto& k : kinds) names.push_back(k.name);
  return names;
}

std::unique_ptr<FileSystem> FileSystem::create(System& system) {
  for (const auto& k : kinds)
    if (system.params.kind == k.name) return k.create(system);
  assert(!"the name was checked when the configuration was read");
  return nullptr;
}

std::uint64_t FileSystem::memory(const FileSystemParams& params, std::uint64_t compute_processors,
                                 std::uint64_t disks) {
  const std::uint64_t caching =
      2ull * params.cache.buffers_per_cp_per_disk * compute_processors * disks;  // and where reads arrive
  const std::uint64_t buffers = params.buffers_per_disk * disks;
  // A write cache and what stages it; on an I/O processor all directories, none of which outgrows its cache.
  const std::uint64_t write_caches =
      params.kind == "enwrich" ? (compute_processors + 1) * params.enwrich.cache_size.count : 0;
  const std::uint64_t requests = 2 * compute_processors * disks;  // that are being served
  return (caching + buffers + requests) * params.block_size.count + write_caches + (16 << 20);
}

}  // namespace sunstar::file_systems
