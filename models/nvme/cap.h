// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/quantity.h"

namespace sunstar::nvme {

/// A limit on operations or bytes a second, kept by a token bucket that holds what passes in a millisecond: nothing
/// waits until the limit is really reached.
class Cap {
 public:
  /// So many a second; 0: no limit.
  explicit Cap(double rate) : rate_(rate) {}

  /// When so many pass that come at `from`.
  Time pass(Time from, double many);

 private:
  double rate_;
  Time used_until_{};  // when the bucket is full again
};

}  // namespace sunstar::nvme
