// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>

#include "models/core/quantity.h"

namespace sunstar::nvme {

/// A limit on operations or bytes a second, kept by a token bucket for one millisecond's worth: nothing waits until the
/// limit is really reached.
class Cap {
 public:
  /// `rate`: the limit a second; 0: none.
  explicit Cap(double rate) : rate_(rate) {}

  /// The time at which `many` operations or bytes that arrive at `from` have passed.
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
