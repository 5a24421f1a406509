// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "platforms/kit/json_text.h"

namespace sunstar::kit {

/// Runs `run(trial)` for each trial. A SystemC kernel simulates once a process, so more than one trial means a child
/// process each, at most `jobs` of them at a time (0: as many as the host has processors). Results come back in order of trial,
/// whatever the order in which they end. The first trial that throws ends the run, with its own exception type and sentence.
/// `done(n)` is told how many have ended.
std::vector<json::object> run_trials(std::uint32_t trials, std::uint32_t jobs, const std::function<json::object(std::uint32_t)>& run,
                                     const std::function<void(std::uint32_t)>& done = [](std::uint32_t) {});

}  // namespace sunstar::kit
