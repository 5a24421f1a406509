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

struct Watch {
  std::optional<std::filesystem::path> vcd = {}, timeline = {}, log = {};
  std::ostream* log_stream = nullptr;  ///< takes the log instead of a file
  WaveFile::Options waves = {};
  Timeline::Options timeline_options = {};
  EventLog::Options log_options = {};
  bool explain = false;  ///< whether the trial explains its time
  /// Receives the trial's progress, at most a thousand times, and its activity; may be empty.
  std::function<void(double share, std::string_view doing)> progress = {};
};

}  // namespace sunstar::kit
