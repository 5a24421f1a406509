// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <vector>

#include "models/core/quantity.h"

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

}  // namespace sunstar::disk_platform
