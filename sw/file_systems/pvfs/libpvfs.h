// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

#include "sw/file_systems/pvfs/module/cache_module.h"
#include "sw/file_systems/pvfs/protocol/port.h"
#include "sw/file_systems/pvfs/protocol/striping.h"
#include "sw/file_systems/system.h"

namespace sunstar::file_systems::pvfs {

/// The library of a process (section 3.1). It opens files at the manager, sends each iod one request for its whole
/// part of a call, and waits for acknowledgements and data. On a node with a cache module its requests go there.
class Libpvfs {
 public:
  /// `module`: that of the node; null without one.
  Libpvfs(System& system, const Messages& messages, Port& port, CacheModule* module);

  /// An error if the manager is gone.
  os::Task<hal::Status> open(std::uint32_t file, const std::string& name);
  bool is_open(std::uint32_t file) const { return file < open_.size() && open_[file].data_nodes > 0; }
  /// What could not be read is appended to `failed`.
  os::Task<> read(const FileRange& run, std::byte* memory, std::vector<requests::Failed>& failed);
  /// `coherent`: sync_write, which returns when no other cache holds an old copy. After an error, any of the run's
  /// bytes may not have been written.
  os::Task<hal::Status> write(const FileRange& run, std::byte* memory, bool coherent);

 private:
  System& system_;
  const Messages& messages_;
  Port& port_;
  os::Os& os_;
  CacheModule* const module_;
  std::vector<Attributes> open_;
  std::byte* buffer_;
};

}  // namespace sunstar::file_systems::pvfs
