// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

#include "sw/file_systems/disk_directed/params.h"
#include "sw/file_systems/file_system.h"
#include "sw/io/block_transfers.h"

namespace sunstar::file_systems::disk_directed {

/// Finds a block's pieces in a collective's mapping and moves them between the block's buffer and the compute
/// processors: one Memput or Memget each or, with `gather`, one for all pieces of a compute processor.
class Mover final : public io::BlockMover {
 public:
  Mover(System& system, std::uint32_t io_processor, const workload::Collective& collective, bool gather,
        std::vector<std::byte*>& spare)
      : system_(system),
        endpoint_(system.nodes.io[io_processor].endpoint),
        io_processor_(io_processor),
        collective_(collective),
        gather_(gather),
        spare_(spare) {}

  std::uint64_t find_pieces(const io::BlockJob& job, std::vector<workload::Piece>& out) override;
  os::Task<> move(const io::BlockJob& job, const std::vector<workload::Piece>& pieces, std::byte* buffer,
                  messages::ReplyAction& action) override;

  /// Bytes of a buffer in which the pieces of a block are packed, with room for a list of them.
  static std::uint64_t packed_bytes(std::uint64_t block_bytes) { return 2 * block_bytes; }

 private:
  using Pieces = std::vector<workload::Piece>;
  bool write() const { return collective_.operation == workload::Operation::write; }
  std::uint64_t start_of(const io::BlockJob& job) const { return job.block * system_.volume.block_bytes(); }
  os::Task<> move_each(const io::BlockJob& job, const Pieces& pieces, std::byte* buffer, messages::ReplyAction& action);
  os::Task<> move_gathered(const io::BlockJob& job, const Pieces& pieces, std::byte* buffer);

  System& system_;
  messages::Endpoint& endpoint_;
  std::uint32_t io_processor_;
  const workload::Collective& collective_;
  bool gather_;
  std::vector<std::byte*>& spare_;  // buffers of packed_bytes() that nobody uses
};

}  // namespace sunstar::file_systems::disk_directed
