// SPDX-License-Identifier: MIT
#pragma once
#include <deque>

#include "sw/file_systems/client_server.h"
#include "sw/file_systems/galley/gfs/gfs.h"
#include "sw/file_systems/galley/libraries/linear_file.h"

namespace sunstar::file_systems::galley {

/// The program of a workload on a compute processor. It opens the workload's files, each with a subfile on every disk,
/// before the run's first request, and makes its calls: those of linear files through the library for them, requests
/// for forks as the measurements of the paper do (6.2 to 6.4). The run ends with gfs_sync().
class Client : public ComputeProcessor {
 public:
  Client(Run& run, const Messages& messages, const Params& params, workload::Team& team, std::uint32_t processor);

  os::Task<> run();
  os::Task<> sync() { return gfs_.gfs_sync(); }

 private:
  os::Task<> open_files();
  os::Task<> call(const requests::Access& access);
  os::Task<hal::Status> select_records(const workload::Collective& collective);
  os::Task<> request_forks(workload::ForkRequests requests);
  os::Task<> one_by_one(const workload::ForkRequests& requests, const LinearFile& file);
  os::Task<> all_at_once(const workload::ForkRequests& requests, const LinearFile& file);
  void ended(const Answer& answer, Time start, std::uint64_t calls, std::uint64_t bytes,
             const requests::Access* call = nullptr);

  workload::Job& job_;
  io::Volume& volume_;
  Gfs gfs_;
  std::deque<LinearFile> files_;
};

}  // namespace sunstar::file_systems::galley
