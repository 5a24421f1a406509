// SPDX-License-Identifier: MIT
#pragma once
#include <boost/unordered/unordered_flat_map.hpp>
#include <string>
#include <vector>

#include "sw/file_systems/striped/node_client.h"
#include "sw/file_systems/system.h"
#include "sw/os/mutex.h"

namespace sunstar::file_systems::striped {

/// The metadata server: knows the files' names and striping. There is one, on the first I/O processor. It answers from
/// memory, one request after the other, and takes no part in reads and writes.
class MetadataServer {
 public:
  /// `names`: of the files of the volume, in their order.
  MetadataServer(System& system, const messages::Kind<Open>& open, const std::vector<std::string>& names,
                 const Ways& ways);

 private:
  os::Task<> open(hal::NodeId client, messages::ReplyTo to, std::string name);

  System& system_;
  boost::unordered_flat_map<std::string, std::uint32_t> numbers_;
  messages::Endpoint& endpoint_;
  os::Os& os_;
  const Ways ways_;
  os::Mutex one_at_a_time_;
  std::byte* const answer_;
};

}  // namespace sunstar::file_systems::striped
