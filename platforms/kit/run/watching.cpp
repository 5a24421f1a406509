// SPDX-License-Identifier: MIT
#include "platforms/kit/run/watching.h"

#include "models/core/error.h"
#include "models/kernel/sc_time_bridge.h"

namespace sunstar::kit {

Watching::Watching(const Watch& watch, std::function<Time()> now) {
  if (!now) now = sunstar::now;
  if (watch.vcd) waves_.emplace(*watch.vcd, watch.waves, now);
  if (watch.timeline) timeline_.emplace(*watch.timeline, watch.timeline_options);
  if (watch.log_stream) log_.emplace(*watch.log_stream, watch.log_options, now);
  else if (watch.log) log_.emplace(*watch.log, watch.log_options, now);
}

void Watching::check_scopes() const {
  if (waves_) waves_->check_scope();
  if (timeline_) timeline_->check_scope();
  if (log_) log_->check_scope();
}

void Watching::close() {
  if (waves_) waves_->close();
  if (timeline_) timeline_->close();
  if (log_) log_->close();
}

Watching::End::~End() {
  try {
    watching.close();
  } catch (const ConfigError&) {  // the failure under way is the one to report
  }
}

std::optional<Watched> Watching::watched() const {
  if (!any()) return std::nullopt;
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
