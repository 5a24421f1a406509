// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "models/disk/delays.h"
#include "models/disk/drive.h"
#include "models/scsi/arm_track.h"
#include "platforms/disk/load.h"
#include "platforms/kit/run/watching.h"

namespace sunstar::disk_platform {

/// Records a drive's requests and its arm's activity in the wave file, the timeline and the log.
class DriveWatch {
 public:
  DriveWatch(const kit::Watch& watch, disk::Drive& drive, const char* name, const Time& now);
  bool any() const { return watching_.any(); }
  void request(const Request& r, Time issued, Time status);
  /// Hands over to `delays`, too, what the heads have done.
  void follow(disk::Delays& delays);
  /// Hands over what the heads do until then.
  void settle(Time until);
  void close() { watching_.close(); }
  std::optional<kit::Watched> watched() const { return watching_.watched(); }

 private:
  disk::Drive& drive_;
  const Time& now_;
  Time told_until_{};  // the clock of the files
  kit::Watching watching_;
  WaveFile::Signal phase_ = 0, cylinder_ = 0, lbn_ = 0, request_ = 0;
  Timeline::Track requests_;
  Timeline::Counter rate_ = 0;
  scsi::ArmTrack arm_;
  EventLog::Instance logged_;
  std::vector<disk::Activity> heads_;  // to be told behind the request during which they were found out
  disk::Delays* delays_ = nullptr;
};

}  // namespace sunstar::disk_platform
