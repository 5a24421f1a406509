// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/statistics.h"
#include "sw/file_systems/losses.h"
#include "sw/file_systems/striped/messages.h"
#include "sw/file_systems/striped/objects.h"
#include "sw/os/os.h"
#include "sw/requests/access.h"

namespace sunstar::file_systems::striped {

/// Where kinds differ in how processes meet their servers.
struct Ways {
  const char* name_server = "the metadata server";  ///< its name in what a stuck run reports
  const char* opens = "open request";               ///< its threads
  std::uint32_t answer = sizeof(Attributes);        ///< bytes of an answer of the name server's
  std::uint32_t name_room = 0;  ///< what a process keeps for the names of files; 0: it takes some for each name
  bool fences = true;           ///< a node cut off from all servers and from its application stops
};

/// The file system in a compute processor, for all its processes.
class NodeClient {
 public:
  static constexpr Ways ways{};  ///< the default of a kind
  using Failures = std::vector<requests::Failed>;
  virtual ~NodeClient() = default;
  /// Carries out a call, from or to `memory`. Appends the parts that could not be done to `failed`.
  virtual os::Task<> carry_out(const requests::Access& access, std::byte* memory, Failures& failed) = 0;
  /// Announces a later call of a process.
  virtual os::Task<> announce(FileRun, [[maybe_unused]] requests::Operation operation) { co_return; }
  /// How many calls ahead processes announce.
  virtual std::uint32_t announced() const { return 0; }
  /// Sends everything that processes have written, as when files are closed.
  virtual os::Task<> flush() { co_return; }
  /// Its node has stopped: counts what the cache held.
  virtual void count_cache(Losses&) const {}
  virtual void add_statistics(StatisticSet& set) = 0;
  bool counted = false;  ///< count_cache() has been called
};

}  // namespace sunstar::file_systems::striped
