// SPDX-License-Identifier: MIT
#pragma once
#include <deque>

#include "sw/file_systems/client_server.h"
#include "sw/file_systems/galley/gfs/gfs.h"
#include "sw/file_systems/galley/libraries/linear_file.h"
#include "sw/file_systems/galley/server/file_numbers.h"

namespace sunstar::file_systems::galley {

/// The program of a workload on a compute processor. It opens the workload's files, each with a subfile on every disk,
/// before the run's first request, and makes its calls: those of linear files through the library for them, requests
/// for forks as the measurements of the paper do (6.2 to 6.4). The run ends with gfs_sync().
class Client : public ComputeProcessor {
 public:
  Client(Run& run, const Messages& messages, const Params& params, workload::Team& team, std::uint32_t processor);

  os::Task<> run();
  os::Task<> sync();
  /// Tells `files` which files it opens, and what has failed.
  void tells(FileNumbers& files) { numbers_ = &files; }

 private:
  os::Task<> open_files();
  os::Task<> call(const requests::Access& access);
  os::Task<hal::Status> select_records(const workload::Collective& collective);
  os::Task<> one_by_one(const workload::ForkRequests& requests, const LinearFile& file);
  os::Task<> all_at_once(const workload::ForkRequests& requests, const LinearFile& file);
  /// A file has been created or opened, or that has failed.
  void opened(std::uint32_t file, Error error, const char* what);
  /// What a call on the file returns that has failed. Throws SimulationError if no disk is to blame.
  hal::Status status_of(const Answer& answer, std::uint32_t file);
  /// Calls have ended, of which `failed` has not been moved. They moved or did not move `bytes` in all.
  void ended(const Answer& answer, Time start, std::uint64_t calls, std::uint64_t bytes,
             std::vector<requests::Failed> failed, const requests::Access* call = nullptr);
  /// Adds what is missing at `offset` of the file's fork on a disk.
  void add(std::vector<requests::Failed>& failed, std::uint32_t file, requests::Operation operation, std::uint32_t disk,
           std::uint64_t offset, std::uint64_t bytes);
  /// What a transfer has not moved, of a stream of `bytes`.
  static std::vector<Extent> missing(const Answer& answer, const Gfs::Transfer& transfer, std::uint64_t bytes);

  workload::Job& job_;
  io::Volume& volume_;
  Gfs gfs_;
  std::deque<LinearFile> files_;
  FileNumbers* numbers_ = nullptr;
};

}  // namespace sunstar::file_systems::galley
