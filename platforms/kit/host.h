// SPDX-License-Identifier: MIT
#pragma once
#include <sys/resource.h>

#include <chrono>
#include <map>
#include <optional>

#include "models/core/figure.h"

// The cost of a run to the host, measured in one place.
namespace sunstar::kit {

/// Processor time of this process so far, user's and system's.
inline double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto s = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
  return s(usage.ru_utime) + s(usage.ru_stime);
}
/// A sentence, without a full stop, for when the host gives this process no more memory.
inline std::string out_of_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return "the host gives no more memory to this process, which has taken " + std::to_string(usage.ru_maxrss >> 10) +
         " MiB; fewer processors, smaller files, or larger requests and messages, need less, and fewer trials at a "
         "time (run.jobs) leave more";
}

/// The recordings of a run's monitors, wave file, timeline and log.
struct Watched {
  std::map<std::string, std::uint64_t> monitored = {};
  std::optional<std::string> vcd = {};
  std::optional<std::uint64_t> timeline_spans = {};
  std::optional<std::string> timeline = {};
  std::optional<std::uint64_t> log_lines = {};
  std::optional<std::string> log = {};
};
BOOST_DESCRIBE_STRUCT(Watched, (), (monitored, vcd, timeline_spans, timeline, log_lines, log))
inline std::vector<Figure> figures(const Watched*) {
  return {{"monitored", "counts of the monitors on the sockets, which agree with the reported figures"},
          Figure{"vcd", "why the wave file ends before the run"}.left_out_if_unknown(),
          Figure{"timeline_spans", "spans in the timeline's file"}.left_out_if_unknown(),
          Figure{"timeline", "why the timeline ends before the run, or is empty"}.left_out_if_unknown(),
          Figure{"log_lines", "lines in the log"}.left_out_if_unknown(),
          Figure{"log", "why the log ends before the run, or is empty"}.left_out_if_unknown()};
}

/// The figures of one trial or, for a run, the sums over its trials. A platform adds its own figures in a struct that
/// derives from this.
struct HostFigures {
  double seconds = 0;
  double cpu_seconds = 0;
  double setup_cpu_seconds = 0;
  std::optional<std::uint64_t> kernel_events = {};
  std::optional<Watched> watched = {};
};
BOOST_DESCRIBE_STRUCT(HostFigures, (), (seconds, cpu_seconds, setup_cpu_seconds, kernel_events, watched))
inline std::vector<Figure> figures(const HostFigures*) {
  return {Figure{"seconds", "elapsed time of the run or of a trial", "s"}.summed(),
          Figure{"cpu_seconds", "processor time of all trials", "s"}.summed(),
          Figure{"setup_cpu_seconds", "the part of cpu_seconds before the simulation began", "s"}.summed(),
          Figure{"kernel_events", "delta cycles of the simulation kernel"}.summed().left_out_if_unknown(),
          Figure{"watched", "the recordings of the first trial's monitors, wave file, timeline and log"}.of_first()};
}

/// Measures the times of a trial, from its own construction on.
class HostMeter {
 public:
  HostMeter() : start_(std::chrono::steady_clock::now()), cpu_start_(kit::cpu_seconds()) {}
  /// To be called when the machine is built and the simulation begins.
  void set_up() { setup_ = kit::cpu_seconds() - cpu_start_; }
  HostFigures read() const {
    return {.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(),
            .cpu_seconds = kit::cpu_seconds() - cpu_start_,
            .setup_cpu_seconds = setup_};
  }

 private:
  std::chrono::steady_clock::time_point start_;
  double cpu_start_, setup_ = 0;
};

}  // namespace sunstar::kit
