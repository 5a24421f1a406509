// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>
#include <vector>

#include "models/core/trail.h"
#include "models/disk/delays.h"
#include "platforms/disk/drive_watch.h"
#include "platforms/disk/load.h"
#include "platforms/kit/json_text.h"
#include "platforms/kit/type.h"

namespace sunstar::disk_platform {

/// Follows the requests to one drive, and says in the end where the time went.
class Explained {
 public:
  /// `watch` hands over what the heads do.
  Explained(const disk::Drive& drive, DriveWatch& watch);
  /// A request is issued, perhaps after some thinking.
  void issued(Time t) {
    trails_.advance(trail_, t, Stage::application);
    stages_ = {};
    bus_ = {};
  }
  /// The drive was called at `at` and answered with `ready`.
  void answered(Time at, Time ready);
  /// The request has ended with the drive's last answer.
  void ended(bool write);

  /// The section "explain" of the result.
  kit::json::object explanation(const kit::json::object& statistics, kit::ConstRef config) const;

 private:
  const disk::Drive& drive_;
  DriveWatch& watch_;
  Trails trails_;
  disk::Delays delays_;
  disk::DriveTrail heads_;
  Trail trail_;
  Stages stages_{};  // of the present request
  Duration bus_{};
  RequestTimes &reads_, &writes_;
};

}  // namespace sunstar::disk_platform
