// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

namespace sunstar::kit {

/// The report of a deadlock: `heading`, which ends in a colon, and below it lines that say who waits for whom. At most
/// 40 lines are shown.
std::string waiting_text(const std::string& heading, const std::vector<std::string>& lines);

}  // namespace sunstar::kit
