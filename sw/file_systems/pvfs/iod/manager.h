// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "sw/file_systems/pvfs/protocol/messages.h"
#include "sw/file_systems/system.h"
#include "sw/os/mutex.h"

namespace sunstar::file_systems::pvfs {

/// The manager daemon (mgr, section 3.1): knows the files' names, attributes and striping. There is one, on the first
/// data node; it takes part in no reads or writes.
class Manager {
 public:
  /// `names`: of the files of the volume, in their order.
  Manager(System& system, const Messages& messages, std::vector<std::string> names);

 private:
  os::Task<> open(hal::NodeId source, messages::ReplyTo to, std::string name);

  System& system_;
  const std::vector<std::string> names_;
  messages::Endpoint& endpoint_;
  os::Os& os_;
  os::Mutex process_;
  std::byte* const answer_;
};

}  // namespace sunstar::file_systems::pvfs
