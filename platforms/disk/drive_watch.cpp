// SPDX-License-Identifier: MIT
#include "platforms/disk/drive_watch.h"

#include <algorithm>
#include <limits>

namespace sunstar::disk_platform {

DriveWatch::DriveWatch(const kit::Watch& watch, disk::Drive& drive, const char* name, const Time& now)
    : drive_(drive), now_(now), watching_(watch, [this] { return told_until_; }) {
  const std::string instance = name;
  if (watching_.any()) drive.note_activity();
  if (auto* waves = watching_.waves()) {
    phase_ = waves->word(instance + ".phase", {"disk_phase", {disk::phase_names.begin(), disk::phase_names.end()}});
    cylinder_ = waves->number(instance + ".cylinder");
    lbn_ = waves->number(instance + ".lbn", -1);
    request_ = waves->word(instance + ".request", {"disk_request", {"none", "read", "write"}});
  }
  if (auto* timeline = watching_.timeline()) {
    const std::uint32_t group = timeline->group(instance);
    requests_ = timeline->track(group, "requests", 0);
    arm_ = scsi::ArmTrack(*timeline, timeline->track(group, "heads", 1));
    rate_ = timeline->rate(group, "bytes a second");
  }
  if (auto* log = watching_.log()) logged_ = log->instance(instance);
  watching_.check_scopes();
}

void DriveWatch::request(const Request& r, Time issued, Time status) {
  auto* waves = watching_.waves();
  if (auto* timeline = watching_.timeline()) {
    timeline->span(requests_, r.write ? "write" : "read", issued, status, {{"lbn", r.lbn}, {"sectors", r.sectors}});
    timeline->count(rate_, status, r.sectors * drive_.params().sector_size.count);
  }
  if (auto* log = watching_.log()) {
    const std::string what = r.write ? "write" : "read";
    log->event(logged_, LogLevel::info, issued, what, {{"lbn", r.lbn}, {"sectors", r.sectors}});
    log->event(logged_, LogLevel::info, status, what + " ends");
  }
  if (waves) {
    waves->change(request_, issued, r.write ? 2 : 1);
    waves->change(request_, status, 0);
    waves->change(lbn_, issued, static_cast<int>(std::min<std::uint64_t>(r.lbn, std::numeric_limits<int>::max())));
    waves->change(lbn_, status, -1);
  }
  settle(now_);
  if (auto* log = watching_.log())
    for (const disk::Activity& a : heads_) scsi::tell(*log, logged_, a);
  heads_.clear();
  told_until_ = now_;
}

void DriveWatch::follow(disk::Delays& delays) {
  drive_.note_activity();
  delays_ = &delays;
}

void DriveWatch::settle(Time until) {
  auto* waves = watching_.waves();
  auto& activity = drive_.activity();
  for (; !activity.empty() && activity.front().at <= until; activity.pop_front()) {
    if (delays_) delays_->passed(activity.front());
    if (waves) {
      waves->change(phase_, activity.front().at, static_cast<int>(activity.front().phase));
      waves->change(cylinder_, activity.front().at, static_cast<int>(activity.front().cylinder));
    }
    if (arm_) arm_.begins(activity.front());
    if (watching_.log()) heads_.push_back(activity.front());
  }
  if (delays_) delays_->until(until);
}

}  // namespace sunstar::disk_platform
