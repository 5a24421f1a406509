// SPDX-License-Identifier: MIT
#pragma once
#include <unistd.h>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>

#include "models/core/quantity.h"
#include "models/core/statistics.h"

namespace sunstar::machine {

/// Memory that the process holds now, in MiB.
inline double memory_mib() {
  long pages = 0;
  if (std::ifstream statm("/proc/self/statm"); !(statm >> pages >> pages)) return 0;
  return static_cast<double>(pages) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

/// The state of a run, in a line for its progress display: simulated time, bytes a second of it, memory of the host,
/// and the resource that has been busiest so far. It reaches no result.
class RunState {
 public:
  /// The text is made anew at most four times a second of the host's time, and takes at most a twentieth of it.
  const std::string& text(const StatisticSet& statistics, Time now, double bytes_moved) {
    const auto begin = Clock::now();
    if (begin < next_) return text_;
    std::string busiest;
    double most = 0;
    statistics.for_each([&](const Statistic& s) {
      if (!s.name.ends_with("utilisation")) return;
      const double share = s.value();
      if (share > most) most = share, busiest = s.name;
    });
    if (const auto dot = busiest.rfind('.'); dot != std::string::npos) busiest.resize(dot);
    const double time = seconds(now);
    char line[160];
    std::snprintf(line, sizeof line, "%.4g s simulated, %.3g MiB/s, %.0f MiB", time,
                  time > 0 ? bytes_moved / (1 << 20) / time : 0.0, memory_mib());
    text_ = line;
    if (!busiest.empty()) {
      std::snprintf(line, sizeof line, ", %s %.0f%% busy", busiest.c_str(), most * 100);
      text_ += line;
    }
    const auto end = Clock::now();
    next_ = std::max<Clock::time_point>(begin + std::chrono::milliseconds(250), end + 20 * (end - begin));
    return text_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point next_{};
  std::string text_;
};

}  // namespace sunstar::machine
