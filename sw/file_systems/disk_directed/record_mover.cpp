// SPDX-License-Identifier: MIT
#include "sw/file_systems/disk_directed/record_mover.h"

namespace sunstar::file_systems::disk_directed {

RecordMover::RecordMover(System& system, std::uint32_t io_processor, const workload::Selection& selection,
                         const Params& params, std::vector<std::byte*>& spare)
    : system_(system),
      endpoint_(system.nodes.io[io_processor].endpoint),
      selection_(selection),
      gather_(params.gather),
      sender_(system.nodes, system.job.memory, endpoint_, selection,
              {params.filter_at == FilterAt::io_processor, params.gather,
               static_cast<std::uint32_t>(system.nodes.compute.size() * io_processor / system.nodes.io.size())}),
      spare_(spare) {}

std::uint64_t RecordMover::find_pieces(const io::BlockJob& job, std::vector<workload::Piece>&) {
  return system_.volume.bytes_in_block(job.file, job.block);
}

os::Task<> RecordMover::move(const io::BlockJob& job, const std::vector<workload::Piece>&, std::byte* buffer,
                             messages::ReplyAction& action) {
  const io::Volume& volume = system_.volume;
  const std::uint64_t bytes = volume.bytes_in_block(job.file, job.block);
  std::byte* packed = nullptr;
  if (gather_) {
    if (spare_.empty()) spare_.push_back(endpoint_.os.node().allocate(Mover::packed_bytes(volume.block_bytes())));
    packed = spare_.back();
    spare_.pop_back();
  }
  co_await sender_.send(job.block * volume.block_bytes() / selection_.record_bytes, buffer, bytes, packed, action);
  while (action.outstanding()) co_await action.arrival();
  if (gather_) spare_.push_back(packed);
  system_.job.record.moved(bytes);
}

}  // namespace sunstar::file_systems::disk_directed
