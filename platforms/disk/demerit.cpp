// SPDX-License-Identifier: MIT
#include "platforms/disk/demerit.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace sunstar::disk_platform {

Demerit demerit(std::vector<Duration> measured, std::vector<Duration> simulated) {
  assert(measured.size() == simulated.size());
  Demerit d;
  d.count = measured.size();
  if (measured.empty()) return d;
  std::sort(measured.begin(), measured.end());
  std::sort(simulated.begin(), simulated.end());
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const double difference = seconds(simulated[i] - measured[i]) * 1e3;
    squares += difference * difference;
    sum += seconds(measured[i]) * 1e3;
  }
  d.measured_mean_ms = sum / static_cast<double>(d.count);
  d.ms = std::sqrt(squares / static_cast<double>(d.count));
  d.percent = d.measured_mean_ms > 0 ? 100 * d.ms / d.measured_mean_ms : 0;
  return d;
}

}  // namespace sunstar::disk_platform
