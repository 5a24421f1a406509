// SPDX-License-Identifier: MIT
#include "platforms/machine/report/run_state.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace sunstar::machine {

namespace {

/// Memory that the process holds now, in MiB.
double memory_mib() {
  long pages = 0;
  if (std::ifstream statm("/proc/self/statm"); !(statm >> pages >> pages)) return 0;
  return static_cast<double>(pages) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

}  // namespace

const std::string& RunState::text(const StatisticSet& statistics, Time now, double bytes_moved) {
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

}  // namespace sunstar::machine
