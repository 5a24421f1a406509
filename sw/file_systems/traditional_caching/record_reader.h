// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>

#include "sw/file_systems/client_server.h"
#include "sw/file_systems/traditional_caching/params.h"
#include "sw/io/cached/client.h"
#include "sw/io/record_sender.h"

namespace sunstar::file_systems::traditional_caching {

/// The part of an application that distributes records by their bytes on a file system that cannot: it reads a
/// convenient part of the file and sends each record on to the compute processor that the function names (Kotz,
/// "Expanding the potential for disk-directed I/O", section 3).
class RecordReader : public ComputeProcessor {
 public:
  RecordReader(Run& run, io::cached::Client& blocks, const Params& params, workload::Team& team,
               std::uint32_t processor);

  /// This processor's part of the collective. All records are there when all processors have done theirs.
  os::Task<hal::Status> carry_out(const workload::Collective& collective);

  /// Notes what is missing because processors are gone.
  hal::Status missing(const workload::Collective& collective);

 private:
  os::Task<> read_own(const workload::Collective& collective);
  os::Task<> read_and_send(const workload::Collective& collective);
  bool read_failed(std::uint64_t bytes);

  io::cached::Client& blocks_;
  const Params& params_;
  std::byte *block_ = nullptr, *packed_ = nullptr;
  hal::Status status_ = hal::Status::ok;  // of the collective under way
};

}  // namespace sunstar::file_systems::traditional_caching
