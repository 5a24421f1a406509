// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <string>
#include <vector>

namespace sunstar::kit {

/// Prints rows of cells in aligned columns, two spaces apart; the columns in `right` are aligned to the right.
inline std::string text_table(const std::vector<std::vector<std::string>>& rows,
                              const std::vector<std::size_t>& right = {}) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - row[i].size(), ' ');
      const bool flush_right = std::find(right.begin(), right.end(), i) != right.end();
      line += (i > 0 ? "  " : "") + (flush_right ? blanks + row[i] : row[i] + blanks);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace sunstar::kit
