// SPDX-License-Identifier: MIT
#include "platforms/disk/drive_probe.h"

#include <algorithm>
#include <limits>

#include "platforms/kit/explain/explanation.h"

namespace sunstar::disk_platform {

DriveProbe::DriveProbe(const kit::Watch& watch, disk::Drive& drive, const char* name, const Time& now)
    : now_(now),
      sinks_(watch, [this] { return told_until_; }),
      report_(sinks_.probe(), name, sinks_.probe().track(name, "requests", 0)),
      heads_(sinks_.probe(), drive, name, 0, sinks_.probe().track(name, "heads", 1)),
      lbn_(sinks_.probe(), std::string(name) + ".lbn", -1),
      request_(sinks_.probe(), std::string(name) + ".request", {"disk_request", {"none", "read", "write"}}),
      rate_(sinks_.probe(), name, "bytes a second"),
      paths_(sinks_.probe().path),
      sector_bytes_(drive.params().sector_size.count) {
  if (!paths_) return;
  paths_->start(Time{});
  const auto times = [&](const char* kind) {
    return &paths_->requests(kind, {"bus", "disk_overhead", "disk_seek", "disk_rotation", "disk_transfer"});
  };
  reads_ = times("read");
  writes_ = times("write");
}

void DriveProbe::issued(Time t) {
  if (!paths_) return;
  paths_->advance(path_, t, Stage::application);
  stages_ = {};
  bus_ = {};
}

void DriveProbe::answered(Time at, Time ready, Duration extra) {
  if (!paths_) return;
  bus_ += at - path_.at;
  paths_->advance(path_, at - extra, Stage::bus_data);
  paths_->advance(path_, at, Stage::drive_interface);
  heads_.settle(at);
  const disk::Delay& delay = heads_.explain(at, ready);
  for (std::size_t s = 0; s < stage_count; ++s) stages_[s] += delay.stages[s];
  drive_path_.answered(*paths_, path_, delay);
}

void DriveProbe::ended(const Request& r, Time issued, Time status, hal::Status how) {
  if (paths_) {
    const auto spent = [&](Stage s) { return stages_[static_cast<std::size_t>(s)]; };
    (r.write ? writes_ : reads_)
        ->add({bus_, spent(Stage::disk_overhead), spent(Stage::disk_seek), spent(Stage::disk_rotation),
               spent(Stage::disk_transfer)});
  }
  if (!sinks_.probe().files()) return;
  const std::string what = r.write ? "write" : "read";
  report_.span(what, issued, status, {{"lbn", r.lbn}, {"sectors", r.sectors}});
  rate_.count(status, r.sectors * sector_bytes_);
  report_.instant(LogLevel::info, issued, what, {{"lbn", r.lbn}, {"sectors", r.sectors}});
  report_.instant(
      LogLevel::info, status,
      what + (how == hal::Status::ok ? " ends" : " fails: " + std::string(hal::status_names[std::size_t(how)])));
  request_.change(issued, r.write ? 2 : 1);
  request_.change(status, 0);
  lbn_.change(issued, static_cast<int>(std::min<std::uint64_t>(r.lbn, std::numeric_limits<int>::max())));
  lbn_.change(status, -1);
  heads_.settle(now_);
  heads_.tell();
  told_until_ = now_;
}

kit::json::object DriveProbe::explanation(const kit::json::object& statistics, kit::ConstRef config) const {
  auto why = kit::explanation(*paths_, path_, statistics, 1);
  kit::add_advice(why, config);
  return why;
}

}  // namespace sunstar::disk_platform
