// SPDX-License-Identifier: MIT
#pragma once
#include <array>

#include "models/disk/drive.h"
#include "platforms/disk/load.h"
#include "platforms/disk/results.h"

// Collects the times of each request of a trial and computes the trial's figures.
namespace sunstar::disk_platform {

/// How far a simulated sample of response times is from a measured one.
struct Demerit {
  std::size_t count = 0;
  double measured_mean_ms = 0;
  double ms = 0;       ///< root mean square of the horizontal distance between the two distribution curves, that is, of
                       ///< the differences between values of equal rank (Ruemmler and Wilkes 1994)
  double percent = 0;  ///< `ms` as a share of the measured mean
};

/// Both samples must have the same size. For empty samples all figures are 0.
Demerit demerit(std::vector<Duration> measured, std::vector<Duration> simulated);

/// With one decimal, for a record of a request.
std::string nanoseconds(Duration);

/// The figures of a sample of response times.
Response response(const std::vector<Duration>& samples);

/// The parts of the drive's work, in the order of RequestTiming, and the bus.
class Parts {
 public:
  void add(const disk::RequestTiming& timing, Duration bus);
  /// Sets a result's means of the parts, and its figures of the buffer, if any request has been added.
  void fill(Result&) const;

 private:
  std::array<Duration, 6> sums_{};
  std::uint64_t requests_ = 0, hits_ = 0, streamed_ = 0;
};

/// Warns if the rig on which the drive was measured takes a tenth of a command's time or more. Where a trace has
/// measured response times, they are those of the rig.
void warn_of_rig(const MachineParams& machine, Result& result);

/// The response times of reads and of writes.
class Samples {
 public:
  void add(const Request& r, Duration response);
  std::uint64_t count() const { return simulated_[0].size() + simulated_[1].size(); }
  /// Sets a result's response times and their comparison with measured ones, bytes moved, time from the first request
  /// to the end of the last, and time until all bytes are on the medium.
  void fill(Result&, std::uint64_t bytes, Duration elapsed, Duration on_medium) const;

 private:
  DemeritFigures demerit() const;

  std::array<std::vector<Duration>, 2> simulated_, measured_, compared_;  // the last: simulated, where measured
  std::uint64_t within_ = 0;
  double error_ms_ = 0, absolute_error_ms_ = 0;
};

}  // namespace sunstar::disk_platform
