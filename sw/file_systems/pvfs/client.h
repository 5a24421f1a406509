// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "sw/file_systems/pvfs/libpvfs.h"

namespace sunstar::file_systems::pvfs {

/// The program of a workload in one process: it makes the workload's calls through libpvfs, and opens a file before its
/// first call to it.
class Client {
 public:
  Client(System& system, const Messages& messages, Port& port, CacheModule* module, std::uint32_t process)
      : job_(system.job), process_(process), os_(port.os()), library_(system, messages, port, module) {}

  /// Makes the calls.
  os::Task<> run(workload::Team& team);

 private:
  os::Task<> call(const workload::Access& access);

  workload::Job& job_;
  const std::uint32_t process_;
  os::Os& os_;
  Libpvfs library_;
};

}  // namespace sunstar::file_systems::pvfs
