// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "models/core/figure.h"
#include "models/core/statistics.h"
#include "sw/file_systems/losses.h"
#include "sw/file_systems/striped/runs.h"
#include "sw/os/os.h"
#include "sw/requests/recorder.h"

namespace sunstar::file_systems::striped {

/// The file system in a compute processor, for all its processes. Each call returns what could not be done of it.
class NodeClient {
 public:
  using Failures = std::vector<requests::Failed>;
  virtual ~NodeClient() = default;
  virtual os::Task<> read(const FileRun& run, std::byte* memory, Failures& failed) = 0;
  virtual os::Task<> write(const FileRun& run, std::byte* memory, Failures& failed) = 0;
  /// What a process will do later, if that is of use.
  virtual os::Task<> announce(FileRun, [[maybe_unused]] requests::Operation operation) { co_return; }
  /// Of how many calls that is.
  virtual std::uint32_t announced() const { return 0; }
  /// Sends all that processes have written, as when files are closed.
  virtual os::Task<> flush() { co_return; }
  /// What it held when its node stopped.
  virtual void count_cache(Losses&) const {}
  virtual void add_statistics(StatisticSet& set) = 0;
  bool counted = false;  ///< count_cache() has been called
};

}  // namespace sunstar::file_systems::striped
