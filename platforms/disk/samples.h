// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <vector>

#include "models/disk/drive.h"
#include "platforms/disk/load.h"
#include "platforms/disk/results.h"

// Collects the times of each request of a trial and computes the trial's figures.
namespace sunstar::disk_platform {

/// The parts of the drive's work, in the order of RequestTiming, and the bus.
class Parts {
 public:
  void add(const disk::RequestTiming& timing, Duration bus);
  Work mean(std::uint64_t requests) const;
  WorkShare share() const;

 private:
  std::array<Duration, 6> sums_{};
};

/// The response times of reads and of writes.
class Samples {
 public:
  /// `compared`: the trace gives the measured response times.
  void add(const Request& r, Duration response, bool compared);
  std::uint64_t count() const { return simulated_[0].size() + simulated_[1].size(); }
  Response all() const;
  Response reads() const;
  Response writes() const;
  DemeritFigures demerit() const;

 private:
  std::array<std::vector<Duration>, 2> simulated_, measured_;
  std::uint64_t within_ = 0;
  double error_ms_ = 0, absolute_error_ms_ = 0;
};

}  // namespace sunstar::disk_platform
