// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

namespace sunstar::kit {

/// Rows of cells in aligned columns, two spaces between; those in `right` are flush right.
std::string text_table(const std::vector<std::vector<std::string>>& rows, const std::vector<std::size_t>& right = {});

}  // namespace sunstar::kit
