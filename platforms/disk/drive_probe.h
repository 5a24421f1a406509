// SPDX-License-Identifier: MIT
#pragma once
#include "models/node/hal.h"
#include "models/scsi/heads_probe.h"
#include "platforms/disk/load.h"
#include "platforms/kit/json_text.h"
#include "platforms/kit/run/sinks.h"
#include "platforms/kit/type.h"

namespace sunstar::disk_platform {

/// Reports a drive's requests and what its heads do, and leads the path of the requests on.
class DriveProbe {
 public:
  /// `now`: the time until which everything is known.
  DriveProbe(const kit::Watch& watch, disk::Drive& drive, const char* name, const Time& now);
  explicit operator bool() const { return bool(sinks_.probe()); }
  const Probe& probe() const { return sinks_.probe(); }
  void check_scopes() const { sinks_.check_scopes(); }
  /// A request is issued, perhaps after some thinking.
  void issued(Time t);
  /// The drive was called at `at` and answered with `ready`. Data before that call took longer than on the bus by
  /// `extra`.
  void answered(Time at, Time ready, Duration extra);
  /// The request has ended with the drive's last answer.
  void ended(const Request& r, Time issued, Time status, hal::Status how);
  void close() { sinks_.close(); }
  std::optional<kit::Watched> watched() const { return sinks_.watched(); }
  /// The section "explain" of the result.
  kit::json::object explanation(const kit::json::object& statistics, kit::ConstRef config) const;

 private:
  const Time& now_;
  Time told_until_{};  // the clock of the files
  kit::Sinks sinks_;
  Reporter report_;
  scsi::HeadsProbe heads_;
  Wave lbn_, request_;
  Rate rate_;
  CriticalPath* paths_;
  Path path_;
  disk::DrivePath drive_path_;
  Stages stages_{};  // of the present request
  Duration bus_{};
  RequestTimes *reads_ = nullptr, *writes_ = nullptr;
  std::uint64_t sector_bytes_;
};

}  // namespace sunstar::disk_platform
