// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "models/kernel/timeline.h"
#include "models/kernel/wave_file.h"

namespace sunstar::kit {

/// What to watch during a trial.
struct Watch {
  std::optional<std::filesystem::path> vcd = {}, timeline = {};
  std::uint64_t vcd_limit = WaveFile::default_limit;  ///< bytes
  Timeline::Options timeline_options = {};
  /// Receives the share of the trial that is done, at most a thousand times; may be empty.
  std::function<void(double)> progress = {};
};

}  // namespace sunstar::kit
