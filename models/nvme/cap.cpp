// SPDX-License-Identifier: MIT
#include "models/nvme/cap.h"

#include <algorithm>

namespace sunstar::nvme {

Time Cap::pass(Time from, double many) {
  if (rate_ <= 0) return from;
  const Duration burst = std::chrono::milliseconds{1};
  const Time passes = std::max(from, used_until_ - burst);
  used_until_ = std::max(used_until_, passes) + from_seconds(many / rate_);
  return passes;
}

}  // namespace sunstar::nvme
