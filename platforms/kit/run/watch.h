// SPDX-License-Identifier: MIT
#pragma once
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string_view>

#include "models/kernel/event_log.h"
#include "models/kernel/timeline.h"
#include "models/kernel/wave_file.h"

namespace sunstar::kit {

/// What to watch during a trial.
struct Watch {
  std::optional<std::filesystem::path> vcd = {}, timeline = {}, log = {};
  std::ostream* log_stream = nullptr;  ///< where the log goes instead of a file
  WaveFile::Options waves = {};
  Timeline::Options timeline_options = {};
  EventLog::Options log_options = {};
  bool explain = false;  ///< the trial says where its time went
  /// Receives the share of the trial that is done, at most a thousand times, and what it is doing; may be empty.
  std::function<void(double share, std::string_view doing)> progress = {};
};

}  // namespace sunstar::kit
