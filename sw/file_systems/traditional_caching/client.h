// SPDX-License-Identifier: MIT
#pragma once
#include "sw/file_systems/file_system.h"
#include "sw/file_systems/traditional_caching/messages.h"
#include "sw/io/striped_client.h"
#include "sw/messages/barrier.h"

namespace sunstar::file_systems::traditional_caching {

/// A compute processor. It sends a request, and gets a reply, for each part of a call that lies in one block.
class Client {
 public:
  Client(System& system, const Messages& messages, messages::Barrier& barrier, std::uint32_t processor)
      : system_(system),
        messages_(messages),
        barrier_(barrier),
        processor_(processor),
        endpoint_(*system.nodes.compute[processor]),
        striped_(system.nodes, system.volume, system.job, processor) {}

  /// Starts the program.
  void start() { endpoint_.os.spawn(main(), "main"); }

 private:
  os::Task<> main();
  /// Makes all I/O processors finish their write-behind and prefetches.
  os::Task<> sync();

  System& system_;
  const Messages& messages_;
  messages::Barrier& barrier_;
  std::uint32_t processor_;
  messages::Endpoint& endpoint_;
  io::StripedClient striped_;
};

}  // namespace sunstar::file_systems::traditional_caching
