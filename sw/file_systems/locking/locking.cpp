// SPDX-License-Identifier: MIT
#include <memory>

#include "models/core/error.h"
#include "sw/file_systems/locking/client.h"
#include "sw/file_systems/locking/lock_server.h"
#include "sw/file_systems/striped/process.h"

namespace sunstar::file_systems::locking {

// A parallel file system with extent locks, after what is published of Lustre. docs/file-systems/locking.md follows one
// call.
std::unique_ptr<FileSystem> make(const Params& params, Run& run) {
  striped::require_pages(params.objects, run.volume);
  if (params.pages.size.count < 2 * std::uint64_t{run.volume.block_bytes()})
    throw ConfigError("file_system.pages.size is " + std::to_string(params.pages.size.count) +
                      " bytes; it must hold two blocks of the file system, " +
                      std::to_string(2 * std::uint64_t{run.volume.block_bytes()}) + " bytes.");
  return std::make_unique<striped::Kind<Params, Messages, LockServer, Client>::FileSystem>(run, params);
}

std::uint64_t memory(const Params& params, const Sizes& sizes) {
  const std::uint64_t cache = most_stripes(params.pages.size.count, sizes.block_bytes) * sizes.block_bytes;
  return cache + striped::memory(params.objects, sizes);
}

}  // namespace sunstar::file_systems::locking
