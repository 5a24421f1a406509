// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "sw/file_systems/disk_directed/client.h"
#include "sw/file_systems/file_system.h"
#include "sw/file_systems/hybrid/messages.h"
#include "sw/file_systems/hybrid/params.h"
#include "sw/io/cached/client.h"

namespace sunstar::file_systems::hybrid {

/// A compute processor: makes its calls through the caches, or takes part in the collectives of its application.
class Client {
 public:
  Client(System& system, const Messages& messages, const Params& params, workload::Team& team, std::uint32_t processor)
      : system_(system),
        team_(team),
        processor_(processor),
        os_(system.nodes.compute[processor]->os),
        blocks_(system.nodes, system.caller(processor), messages.cached, params.strided),
        direct_(system, messages.direct, params, team, processor) {}

  /// Starts the program.
  void start() { os_.spawn(program(), "main"); }

 private:
  os::Task<> program();

  System& system_;
  workload::Team& team_;
  std::uint32_t processor_;
  os::Os& os_;
  io::cached::Client blocks_;
  disk_directed::Client direct_;
};

}  // namespace sunstar::file_systems::hybrid
