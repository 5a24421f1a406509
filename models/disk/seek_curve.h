// SPDX-License-Identifier: MIT
#pragma once
#include <cmath>
#include <cstdint>

#include "models/disk/drive_params.h"

namespace sunstar::disk {

/// Time to move the arm and settle for a read, by distance: the two-piece formula of Ruemmler and Wilkes (1994), a
/// square root while the arm accelerates all the way, a line once it coasts. A distance of 0 costs nothing.
class SeekCurve {
 public:
  explicit SeekCurve(const SeekParams& params) : params_(params) {}

  Duration operator()(std::uint32_t cylinders) const {
    if (cylinders == 0) return Duration::zero();
    if (cylinders <= params_.short_limit)
      return params_.short_constant + Duration{std::llround(static_cast<double>(params_.short_root.count()) * std::sqrt(cylinders))};
    return params_.long_constant + params_.long_slope * cylinders;
  }

 private:
  SeekParams params_;
};

}  // namespace sunstar::disk
