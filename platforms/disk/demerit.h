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
  double ms = 0;  ///< root mean square of the horizontal distance between the two distribution curves (Ruemmler and
                  ///< Wilkes 1994): of the differences between the values of equal rank
  double percent = 0;  ///< that, of the measured mean
};

/// Both of the same size. Not of any size if it is 0: all zero.
Demerit demerit(std::vector<Duration> measured, std::vector<Duration> simulated);

}  // namespace sunstar::disk_platform
