// SPDX-License-Identifier: MIT
#include "platforms/kit/run/sinks.h"

#include "models/kernel/simulation.h"

namespace sunstar::kit {

Sinks::Sinks(const Watch& watch, std::function<Time()> now) {
  if (!now) now = sunstar::now;
  if (watch.vcd) files_.push_back(probe_.waves = &waves_.emplace(*watch.vcd, watch.waves, now));
  if (watch.timeline) files_.push_back(probe_.timeline = &timeline_.emplace(*watch.timeline, watch.timeline_options));
  if (watch.log_stream) probe_.log = &log_.emplace(watch.log_stream, watch.log_options, now);
  else if (watch.log) probe_.log = &log_.emplace(*watch.log, watch.log_options, now);
  if (probe_.log) files_.push_back(probe_.log);
  if (watch.explain) probe_.path = &never_destroyed<CriticalPath>();  // pooled messages keep their paths
}

void Sinks::check_scopes() const {
  for (const Recording* file : files_) file->check_scope();
}

void Sinks::close() {
  for (Recording* file : files_) file->close();
}

Sinks::End::~End() {
  try {
    sinks.close();
  } catch (const ConfigError&) {  // the failure that ended the run is the one to report
  }
}

std::optional<Watched> Sinks::watched() const {
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

}  // namespace sunstar::kit
