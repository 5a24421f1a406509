// SPDX-License-Identifier: MIT
#pragma once
#include <optional>

#include "models/node/hal.h"
#include "sw/os/activity.h"
#include "sw/os/costs.h"
#include "sw/os/socket_params.h"

namespace sunstar::os {

/// What the executives of one machine have in common. It outlives them.
struct Common {
  explicit Common(const Costs& costs, const std::optional<SocketParams>& its_sockets = {})
      : cycles(its_sockets ? its_sockets->added_to(costs.table()) : costs.table()), sockets(its_sockets) {}

  const CostTable cycles;
  const std::optional<SocketParams> sockets;  ///< if messages go through sockets
  Activity activity;
  hal::RequestId requests = 0;  ///< numbered so far
};

}  // namespace sunstar::os
