// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

namespace sunstar::kit {

/// Prints rows of cells in aligned columns, two spaces apart; the columns in `right` are aligned to the right.
std::string text_table(const std::vector<std::vector<std::string>>& rows, const std::vector<std::size_t>& right = {});

}  // namespace sunstar::kit
