// SPDX-License-Identifier: MIT
#pragma once
#include "tests/fuzz/targets.h"

namespace sunstar::fuzz {

/// Whole runs of all programs, as their users start them: any machine, file system, workload and recording. A run must
/// end in time, be refused in a sentence or verify; its result follows the program's schema and does not contradict
/// itself; and the same run that is watched has the same result.
Target runs();

/// What only a wrong program does throws std::runtime_error.
void require(bool fact, const std::string& what);
/// Throws std::runtime_error if a statistic is one that only a wrong program reports.
void check_statistics(const boost::json::object& statistics);

}  // namespace sunstar::fuzz
