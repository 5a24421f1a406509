// SPDX-License-Identifier: MIT
#include "sw/file_systems/client_server.h"
#include "sw/file_systems/disk_directed/client.h"

namespace sunstar::file_systems::disk_directed {

/// Disk-directed I/O (TR94-226, sections 3 and 4): the compute processors hand one collective request to all I/O
/// processors, which move the blocks between disks and memories in the order that suits the disks.
/// docs/file-systems/disk-directed.md follows a collective step by step.
using DiskDirected = ClientServer<Params, Messages, Server, Client>;

std::unique_ptr<FileSystem> make(const Params& params, Run& run) {
  require_whole_records(run);
  return std::make_unique<DiskDirected>(run, params);
}

std::uint64_t memory(const Params& params, const Sizes& sizes) {
  const std::uint64_t packed = params.gather ? packed_bytes(sizes.block_bytes) : 0;
  const std::uint64_t list = sizes.block_bytes;  // being sent
  const std::uint64_t failures = (sizes.disks + 1) * failure_list;
  return failures + params.buffers_per_disk * sizes.disks_of_node * (sizes.block_bytes + packed) + packed + list;
}

}  // namespace sunstar::file_systems::disk_directed
