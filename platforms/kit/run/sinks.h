// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "models/kernel/probe.h"
#include "models/kernel/simulation.h"
#include "platforms/kit/host.h"
#include "platforms/kit/run/watch.h"

namespace sunstar::kit {

/// The sinks of a run: its files and its critical path. The files must be closed while their machine still exists:
///
///   Sinks sinks(watch);
///   Machine machine(config, sinks.probe());
///   sinks.check_scopes();
///   const Sinks::End end(sinks);  // after the machine: closes them also when the simulation fails
///   sc_start();
///   sinks.close();
class Sinks {
 public:
  /// `now`: the time of changes in the wave file; the kernel's if empty.
  explicit Sinks(const Watch& watch, std::function<Time()> now = {}) {
    if (!now) now = sunstar::now;
    if (watch.vcd) files_.push_back(probe_.waves = &waves_.emplace(*watch.vcd, watch.waves, now));
    if (watch.timeline) files_.push_back(probe_.timeline = &timeline_.emplace(*watch.timeline, watch.timeline_options));
    if (watch.log_stream) probe_.log = &log_.emplace(watch.log_stream, watch.log_options, now);
    else if (watch.log) probe_.log = &log_.emplace(*watch.log, watch.log_options, now);
    if (probe_.log) files_.push_back(probe_.log);
    if (watch.explain) probe_.path = &never_destroyed<CriticalPath>();  // pooled messages keep their paths
  }

  const Probe& probe() const { return probe_; }
  /// Throws ConfigError if a scope names an instance that the machine, which is built by now, does not have.
  void check_scopes() const {
    for (const Recording* file : files_) file->check_scope();
  }
  void close() {
    for (Recording* file : files_) file->close();
  }

  /// The contents of the files, and the reason if a file ends early; nothing without files.
  std::optional<Watched> watched() const {
    if (files_.empty()) return std::nullopt;
    Watched all;
    if (waves_) all.vcd = waves_->truncation();
    if (timeline_) {
      all.timeline_spans = timeline_->spans();
      all.timeline = timeline_->truncation();
    }
    if (log_) {
      all.log_lines = log_->lines();
      all.log = log_->truncation();
    }
    return all;
  }

  /// Closes the files when it is destroyed.
  struct End {
    explicit End(Sinks& s) : sinks(s) {}

    ~End() {
      try {
        sinks.close();
      } catch (const ConfigError&) {  // the failure that ended the run is the one to report
      }
    }

    End(const End&) = delete;
    End& operator=(const End&) = delete;
    Sinks& sinks;
  };

 private:
  std::optional<WaveFile> waves_;
  std::optional<Timeline> timeline_;
  std::optional<EventLog> log_;
  std::vector<Recording*> files_;
  Probe probe_;
};

}  // namespace sunstar::kit
