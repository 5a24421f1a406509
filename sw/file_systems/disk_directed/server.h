// SPDX-License-Identifier: MIT
#pragma once
#include "sw/file_systems/disk_directed/messages.h"
#include "sw/file_systems/disk_directed/params.h"
#include "sw/file_systems/file_system.h"

namespace sunstar::file_systems::disk_directed {

/// An I/O processor: lists the blocks of a collective that lie on its disks and moves them between disks and memories.
class Server {
 public:
  Server(System& system, const Messages& messages, const Params& params, std::uint32_t io_processor,
         io::BlockGuard* guard = nullptr);

 private:
  os::Task<> serve(hal::Message& request);

  System& system_;
  messages::Endpoint& endpoint_;
  std::uint32_t io_processor_;
  const Params& params_;
  io::BlockTransfers transfers_;
  ListReceiver lists_;
  std::vector<std::byte*> spare_;  // buffers for packed pieces that nobody uses
};

}  // namespace sunstar::file_systems::disk_directed
