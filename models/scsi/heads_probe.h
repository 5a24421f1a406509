// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <optional>
#include <string>

#include "models/disk/delays.h"
#include "models/disk/drive.h"
#include "models/kernel/probe.h"

namespace sunstar::scsi {

/// Reports the work of a drive's heads (seek, rotation, read, write, read_ahead) from the drive's notes, and explains
/// why its answers lie in the future.
class HeadsProbe final : public Recording::Source {
 public:
  HeadsProbe(const Probe& probe, disk::Drive& drive, const std::string& instance, std::uint32_t cylinder,
             Timeline::Track track);
  HeadsProbe(const HeadsProbe&) = delete;

  /// Reports the heads' work until now, or until `until`; planned work may still change.
  Time settle() override;
  void settle(Time until);
  /// Writes the reported work to the log.
  void tell();
  /// The drive was called at `at` and answered with `ready`: explains why that lies in the future. Settle first.
  const disk::Delay& explain(Time at, Time ready) { return delays_->explain(drive_, at, ready); }
  /// Settles, and explains the answer if the run is explained.
  void answered(Time at, Time ready) {
    settle();
    if (delays_) explain(at, ready);
  }
  /// Why the last answer lies in the future.
  const disk::Delay& delay() const { return delays_->last(); }

 private:
  disk::Drive& drive_;
  Wave phase_, cylinder_;
  Reporter report_;
  std::deque<disk::Activity> untold_;
  std::optional<disk::Delays> delays_;  // only if the run is explained
  disk::Activity now_{};                // the heads' current activity
  std::optional<Time> reporting_;       // set while the activity of that time is being reported
};

}  // namespace sunstar::scsi
