// SPDX-License-Identifier: MIT
#pragma once
#include "models/disk/drive.h"
#include "models/kernel/event_log.h"
#include "models/kernel/timeline.h"

namespace sunstar::scsi {

/// Shows on a track of a timeline what a drive's heads do: seek, rotation, read, write, read_ahead.
class ArmTrack {
 public:
  ArmTrack() = default;  ///< shows nothing
  ArmTrack(Timeline& timeline, Timeline::Track track) : timeline_(&timeline), track_(track) {}
  explicit operator bool() const { return timeline_ != nullptr; }

  /// The next thing that they do.
  void begins(const disk::Activity& next) {
    ends(next.at);
    now_ = next;
  }
  /// What they do goes on until then, as far as it is known.
  void ends(Time at) {
    if (now_.phase != disk::Phase::idle && at > now_.at)
      timeline_->span(track_, disk::phase_names[static_cast<std::size_t>(now_.phase)], now_.at, at,
                      {{"cylinder", now_.cylinder}});
    now_.phase = disk::Phase::idle;
  }

 private:
  Timeline* timeline_ = nullptr;
  Timeline::Track track_;
  disk::Activity now_{};
};

/// Tells what a drive's heads begin to do.
inline void tell(EventLog& log, EventLog::Instance drive, const disk::Activity& a) {
  log.event(drive, LogLevel::debug, a.at, "heads: " + std::string(disk::phase_names[static_cast<std::size_t>(a.phase)]),
            {{"cylinder", a.cylinder}});
}

}  // namespace sunstar::scsi
