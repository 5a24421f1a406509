// SPDX-License-Identifier: MIT
#include "platforms/kit/cpu_time.h"

#include <sys/resource.h>

namespace sunstar::kit {

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto s = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
  return s(usage.ru_utime) + s(usage.ru_stime);
}

}  // namespace sunstar::kit
