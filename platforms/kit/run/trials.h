// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "platforms/kit/json_text.h"

namespace sunstar::kit {

/// Receives the progress: the number of ended trials plus the shares of running ones; and a single trial's activity, in
/// a few words, if it reports one.
using Done = std::function<void(double done, std::string_view doing)>;

/// Runs `run(trial, done)` for each trial. The SystemC kernel can simulate only once in a process, so each of several
/// trials runs in its own child process, at most `jobs` of them at a time (0: one for each of the host's processors).
/// Results come back in order of trial. The first trial that throws ends the run, with its own exception type and
/// sentence. A trial may report its progress, from 0 to 1, to its `done`; `progress` receives the total. If `progress`
/// is empty, so is `done`.
std::vector<json::object> run_trials(std::uint32_t trials, std::uint32_t jobs,
                                     const std::function<json::object(std::uint32_t, const Done& done)>& run,
                                     const Done& progress);
/// The same for trials that report no progress.
std::vector<json::object> run_trials(std::uint32_t trials, std::uint32_t jobs,
                                     const std::function<json::object(std::uint32_t)>& run);

}  // namespace sunstar::kit
