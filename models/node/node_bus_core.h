// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>

#include "models/core/busy_time.h"
#include "models/core/quantity.h"

namespace sunstar::node {

/// The sharing of one node's memory bandwidth, without a kernel.
///
/// Work-conserving: the bus is busy until all bytes given to it have passed. A transfer no longer than one burst waits
/// for at most one burst of earlier transfers; longer transfers are served in order. The time of a short transfer
/// pushes back all later transfers, so bandwidth is never handed out twice.
class NodeBusCore {
 public:
  NodeBusCore(Bandwidth bandwidth, std::uint32_t burst_bytes)
      : bandwidth_(bandwidth), burst_bytes_(burst_bytes), burst_(bandwidth.time_for(burst_bytes)) {}

  /// A transfer of `bytes` that could start at `from`; returns the time at which its last byte has passed.
  Time transfer(Time from, std::uint64_t bytes) {
    const Duration length = bandwidth_.time_for(bytes);
    const Time backlog_end = std::max(from, free_);
    free_ = within_horizon(backlog_end + length);
    busy_.add(backlog_end, free_, from);
    if (bytes <= burst_bytes_) return std::min(backlog_end, from + burst_) + length;
    return free_;
  }

  Duration busy(Time now) const { return busy_.until(now); }

 private:
  Bandwidth bandwidth_;
  std::uint32_t burst_bytes_;
  Duration burst_;
  Time free_{};
  BusyTime busy_;
};

}  // namespace sunstar::node
