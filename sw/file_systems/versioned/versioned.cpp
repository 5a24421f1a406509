// SPDX-License-Identifier: MIT
#include <memory>
#include <string>

#include "models/core/error.h"
#include "sw/file_systems/striped/process.h"
#include "sw/file_systems/versioned/client.h"
#include "sw/file_systems/versioned/log_server.h"

namespace sunstar::file_systems::versioned {

// A parallel file system without locks, after what is published of DAOS. docs/file-systems/versioned.md follows one
// call.
std::unique_ptr<FileSystem> make(const Params& params, Run& run) {
  striped::require_pages(params.objects, run.volume);
  if (params.log.size.count < params.objects.request_size.count)
    throw ConfigError("file_system.log.size is " + std::to_string(params.log.size.count) +
                      " bytes; it must hold a request, file_system.objects.request_size, " +
                      std::to_string(params.objects.request_size.count) + " bytes.");
  return std::make_unique<striped::Kind<Params, striped::Messages, LogServer, Client>::FileSystem>(run, params);
}

std::uint64_t memory(const Params& params, const Sizes& sizes) {
  return (sizes.disks_of_node > 0 ? params.log.size.count : 0) +
         params.log.merges * sizes.disks_of_node * (sizes.block_bytes + 64) + striped::memory(params.objects, sizes);
}

}  // namespace sunstar::file_systems::versioned
