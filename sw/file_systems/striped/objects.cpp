// SPDX-License-Identifier: MIT
#include "sw/file_systems/striped/objects.h"

#include "sw/file_systems/file_system.h"

namespace sunstar::file_systems::striped {

// As Lustre's allocator (lod_qos.c) lets the first targets of files precess: a file begins behind the one before it,
// and one target further whenever all have had their turn, unless the numbers do that by themselves.
io::Stripes stripes(const Params& params, std::uint32_t file, std::uint32_t units) {
  const std::uint64_t objects = params.stripe_count == 0 ? units : params.stripe_count, before = file * objects;
  const bool precess = objects > 1 && units % objects != 1;
  const std::uint64_t rounds = !precess ? 0 : objects < units ? before / units : file;
  return {static_cast<std::uint32_t>((before + rounds) % units), static_cast<std::uint32_t>(objects), units};
}

void require_pages(const Params& params, const io::Volume& volume) {
  if (volume.block_bytes() % page != 0 || volume.sector_bytes() > page)
    throw ConfigError("file_system.block_size, the stripe, is " + std::to_string(volume.block_bytes()) +
                      " bytes on sectors of " + std::to_string(volume.sector_bytes()) +
                      "; it must be a multiple of a page, " + std::to_string(page) +
                      " bytes, and sectors must not be larger than that.");
  if (params.request_size.count % page != 0)
    throw ConfigError("file_system.objects.request_size is " + std::to_string(params.request_size.count) +
                      " bytes; it must be a multiple of " + std::to_string(page) + ", a page.");
}

std::uint64_t memory(const Params& params, const Sizes& sizes) {
  const std::uint64_t buffers = 2 * std::uint64_t{params.server_threads} * (params.request_size.count + 2 * page);
  // Each request to write may have a list, and a process has room for the names of the files that it opens.
  const std::uint64_t lists = params.requests_in_flight * sizes.disks * (params.request_size.count / page + 1) * 64;
  return buffers + lists + (std::uint64_t{1} << 30);
}

}  // namespace sunstar::file_systems::striped
