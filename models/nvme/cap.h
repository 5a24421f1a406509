// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>

#include "models/core/quantity.h"

namespace sunstar::nvme {

/// A limit on operations or bytes a second, kept by a token bucket that holds what passes in a millisecond: nothing
/// waits until the limit is really reached.
class Cap {
 public:
  /// So many a second; 0: no limit.
  explicit Cap(double rate) : rate_(rate) {}

  /// When so many pass that come at `from`.
  Time pass(Time from, double many) {
    if (rate_ <= 0) return from;
    const Duration burst = std::chrono::milliseconds{1};
    const Time passes = std::max(from, used_until_ - burst);
    used_until_ = std::max(used_until_, passes) + from_seconds(many / rate_);
    return passes;
  }

 private:
  double rate_;
  Time used_until_{};  // when the bucket is full again
};

}  // namespace sunstar::nvme
