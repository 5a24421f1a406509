// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "platforms/kit/json_text.h"

namespace sunstar::kit {

/// Told how much is done: the trials that have ended, and the share of those under way.
using Done = std::function<void(double)>;

/// Runs `run(trial, done)` for each trial. A SystemC kernel simulates once a process, so more than one trial means a
/// child process each, at most `jobs` of them at a time (0: as many as the host has processors). Results come back in
/// order of trial, whatever the order in which they end. The first trial that throws ends the run, with its own
/// exception type and sentence. A trial may tell its `done` of its share as it goes, from 0 to 1; all that is passed on
/// to `progress`. Without that, a trial's `done` is empty.
std::vector<json::object> run_trials(std::uint32_t trials, std::uint32_t jobs,
                                     const std::function<json::object(std::uint32_t, const Done& done)>& run,
                                     const Done& progress);
/// The same for trials that say nothing.
std::vector<json::object> run_trials(std::uint32_t trials, std::uint32_t jobs,
                                     const std::function<json::object(std::uint32_t)>& run);

}  // namespace sunstar::kit
