// SPDX-License-Identifier: MIT
#include "platforms/kit/run/watching.h"

#include "models/core/error.h"

namespace sunstar::kit {

Watching::Watching(const Watch& watch, std::function<Time()> now) {
  if (watch.vcd) {
    if (now) waves_.emplace(*watch.vcd, watch.waves, std::move(now));
    else waves_.emplace(*watch.vcd, watch.waves);
  }
  if (watch.timeline) timeline_.emplace(*watch.timeline, watch.timeline_options);
}

void Watching::check_scopes() const {
  if (waves_) waves_->check_scope();
  if (timeline_) timeline_->check_scope();
}

void Watching::close() {
  if (waves_) waves_->close();
  if (timeline_) timeline_->close();
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
  return all;
}

}  // namespace sunstar::kit
