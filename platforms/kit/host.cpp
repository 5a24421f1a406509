// SPDX-License-Identifier: MIT
#include "platforms/kit/host.h"

#include <sys/resource.h>

namespace sunstar::kit {

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto s = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
  return s(usage.ru_utime) + s(usage.ru_stime);
}

std::string out_of_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return "the host gives no more memory to this process, which has taken " + std::to_string(usage.ru_maxrss >> 10) +
         " MiB; fewer processors, smaller files, or larger requests and messages, need less, and fewer trials at a "
         "time (run.jobs) leave more";
}

HostMeter::HostMeter() : start_(std::chrono::steady_clock::now()), cpu_start_(kit::cpu_seconds()) {}

void HostMeter::set_up() { setup_ = kit::cpu_seconds() - cpu_start_; }

HostFigures HostMeter::read() const {
  return {.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(),
          .cpu_seconds = kit::cpu_seconds() - cpu_start_,
          .setup_cpu_seconds = setup_};
}

}  // namespace sunstar::kit
