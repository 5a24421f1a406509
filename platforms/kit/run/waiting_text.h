// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

namespace sunstar::kit {

/// What a deadlock is answered with: `heading`, which ends in a colon, and under it who waits for whom, a line each, of
/// which at most 40 are shown.
std::string waiting_text(const std::string& heading, const std::vector<std::string>& lines);

}  // namespace sunstar::kit
