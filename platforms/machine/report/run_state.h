// SPDX-License-Identifier: MIT
#pragma once
#include <chrono>
#include <string>

#include "models/core/quantity.h"
#include "models/core/statistics.h"

namespace sunstar::machine {

/// The state of a run, in a line for its progress display: simulated time, bytes a second of it, memory of the host,
/// and the resource that has been busiest so far. It reaches no result.
class RunState {
 public:
  /// The text is made anew at most four times a second of the host's time, and takes at most a twentieth of it.
  const std::string& text(const StatisticSet& statistics, Time now, double bytes_moved);

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point next_{};
  std::string text_;
};

}  // namespace sunstar::machine
