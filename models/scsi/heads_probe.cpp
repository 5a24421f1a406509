// SPDX-License-Identifier: MIT
#include "models/scsi/heads_probe.h"

#include <utility>

#include "models/kernel/sc_time_bridge.h"

namespace sunstar::scsi {

HeadsProbe::HeadsProbe(const Probe& probe, disk::Drive& drive, const std::string& instance, std::uint32_t cylinder,
                       Timeline::Track track)
    : drive_(drive),
      phase_(probe, instance + ".phase", {"disk_phase", {disk::phase_names.begin(), disk::phase_names.end()}}),
      cylinder_(probe, instance + ".cylinder", static_cast<int>(cylinder)),
      report_(probe, instance, track) {
  if (probe.path) delays_.emplace();
  if (probe.path || probe.waves || probe.timeline || report_.tells(LogLevel::debug)) drive.note_activity();
}

// Reporting to a file may make the file settle all its sources, this one included.
Time HeadsProbe::settle() {
  if (reporting_) return *reporting_;
  settle(now());
  tell();
  return now();
}

void HeadsProbe::settle(Time until) {
  for (auto& notes = drive_.activity(); !notes.empty() && notes.front().at <= until;) {
    const disk::Activity next = notes.front();
    notes.pop_front();
    reporting_ = next.at;
    if (delays_) delays_->passed(next);
    phase_.change(next.at, static_cast<int>(next.phase));
    cylinder_.change(next.at, static_cast<int>(next.cylinder));
    const disk::Activity last = std::exchange(now_, next);
    if (last.phase != disk::Phase::idle && next.at > last.at)
      report_.span(disk::phase_names[static_cast<std::size_t>(last.phase)], last.at, next.at,
                   {{"cylinder", last.cylinder}});
    if (report_.tells(LogLevel::debug)) untold_.push_back(next);
  }
  reporting_.reset();
  if (delays_) delays_->until(until);
}

void HeadsProbe::tell() {
  while (!untold_.empty()) {
    const disk::Activity a = untold_.front();
    untold_.pop_front();  // before the report: a growing log makes all its sources settle
    report_.instant(LogLevel::debug, a.at,
                    "heads: " + std::string(disk::phase_names[static_cast<std::size_t>(a.phase)]),
                    {{"cylinder", a.cylinder}});
  }
}

}  // namespace sunstar::scsi
