// SPDX-License-Identifier: MIT
#include "models/disk/delays.h"

namespace sunstar::disk {

Stage Delays::stage_of(Phase phase) {
  switch (phase) {
    case Phase::seek: return Stage::disk_seek;
    case Phase::rotation: return Stage::disk_rotation;
    case Phase::idle: return Stage::disk_overhead;  // the controller has not set them to work yet
    default: return Stage::disk_transfer;
  }
}

// Adds the heads' planned work between two times, neither of them before settled_.
void Delays::add_planned(Stages& to, const Drive& drive, Time from, Time until) const {
  Phase phase = phase_;
  for (const Activity& next : drive.activity()) {
    if (next.at >= until) break;
    add(to, stage_of(phase), from, next.at);
    from = std::max(from, next.at);
    phase = next.phase;
  }
  add(to, stage_of(phase), from, until);
}

const Delay& Delays::explain(const Drive& drive, Time at, Time ready) {
  const RequestTiming& timing = drive.timing();
  ready = std::max(at, ready);
  const Time decoded = std::clamp(timing.received + timing.overhead, at, ready);
  delay_.stages = {};
  add(delay_.stages, Stage::disk_overhead, at, decoded);
  add_planned(delay_.stages, drive, decoded, ready);
  if (drive.work_since() != delay_.since) {
    delay_.since = drive.work_since();
    worked_ = {};
  }
  delay_.by_heads = drive.by_heads() && ready > at;
  delay_.work = worked_;
  add_planned(delay_.work, drive, std::max(settled_, delay_.since), ready);
  return delay_;
}

void DrivePath::answered(const CriticalPath& paths, Path& request, const Delay& delay) {
  if (heads_.at != delay.since) {
    heads_ = request;
    paths.advance(heads_, delay.since, Stage::disk_overhead);
  }
  if (!delay.by_heads) {
    paths.advance(request, request.at + total(delay.stages), Stage::disk_overhead);
    return;
  }
  request = heads_;
  for (std::size_t s = 0; s < stage_count; ++s)
    paths.advance(request, request.at + delay.work[s], static_cast<Stage>(s));
}

}  // namespace sunstar::disk
