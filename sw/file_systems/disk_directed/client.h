// SPDX-License-Identifier: MIT
#pragma once
#include "sw/file_systems/client_server.h"
#include "sw/file_systems/disk_directed/server.h"

namespace sunstar::file_systems::disk_directed {

/// A compute processor. It waits at a barrier when its buffer is ready and at another until all data have been moved.
/// Between the two, processor 0 sends the collective to the I/O processors.
class Client : public ComputeProcessor {
 public:
  Client(Run& run, const Messages& messages, const Params& params, workload::Team& team, std::uint32_t processor);

  os::Task<> run();
  /// Returns when the drives have written what they took: the report's collectives end when they have taken it
  /// (decision 0020).
  os::Task<> fsync() { return io::sync(run_.nodes, endpoint_, messages_.sync, run_.record); }

 private:
  os::Task<hal::Status> carry_out(const workload::Collective& collective, std::uint32_t number);
  /// Throws away the records that the filter does not keep, and moves the others together.
  void filter(const requests::Selection& selection);
  /// Sends a collective to all I/O processors and waits until all have done their part. Returns an error if one has
  /// not done all of it, and notes what.
  os::Task<hal::Status> request(const requests::Transfer& wanted, std::uint32_t number);
  void note_gone(const requests::Transfer& wanted, std::uint32_t io_processor);
  hal::Status missing(const workload::Collective& collective, const workload::Gone& gone);
  bool note_failures(const requests::Transfer& wanted, hal::Status status, const std::byte* list);

  const Messages& messages_;
  FilterAt filter_at_;
  ListSender lists_;
  // Of a processor that leads a team:
  std::vector<messages::ReplyAction> replies_;  // by I/O processor
  std::byte* description_ = nullptr;            // of the transfer, as it is sent
  std::uint32_t description_bytes_ = 0;         // of that buffer
  std::byte* failures_ = nullptr;               // lists of what has failed, by I/O processor; on machines that can fail
};

}  // namespace sunstar::file_systems::disk_directed
