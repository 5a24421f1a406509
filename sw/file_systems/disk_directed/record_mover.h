// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

#include "sw/file_systems/disk_directed/mover.h"
#include "sw/io/record_sender.h"

namespace sunstar::file_systems::disk_directed {

/// Sends each record of a block to the compute processor that a selection names.
class RecordMover final : public io::BlockMover {
 public:
  RecordMover(System& system, std::uint32_t io_processor, const workload::Selection& selection, const Params& params,
              std::vector<std::byte*>& spare);

  /// Finds nothing: where the records go is known when they have been read.
  std::uint64_t find_pieces(const io::BlockJob& job, std::vector<workload::Piece>& out) override;
  os::Task<> move(const io::BlockJob& job, const std::vector<workload::Piece>& pieces, std::byte* buffer,
                  messages::ReplyAction& action) override;

 private:
  System& system_;
  messages::Endpoint& endpoint_;
  const workload::Selection& selection_;
  const bool gather_;
  io::RecordSender sender_;
  std::vector<std::byte*>& spare_;  // buffers of Mover::packed_bytes() that nobody uses
};

}  // namespace sunstar::file_systems::disk_directed
