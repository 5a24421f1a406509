// SPDX-License-Identifier: MIT
#include "platforms/kit/text_table.h"

#include <algorithm>

#include "platforms/kit/parameter_table.h"

namespace sunstar::kit {

std::string text_table(const std::vector<std::vector<std::string>>& rows, const std::vector<std::size_t>& right) {
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

std::string detail::preset_text(const json::value& v) {
  auto text = pretty(v);
  text.pop_back();
  for (std::size_t at; (at = text.find('\n')) != std::string::npos;) {
    const auto next = text.find_first_not_of(' ', at + 1);
    text.replace(at, next - at, " ");
  }
  return text;
}

std::string markdown(const std::vector<ParameterRow>& rows) {
  const auto cell = [](std::string text) {
    for (auto at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
    return text;
  };
  std::string text = "| parameter | type | default | range | meaning |\n|---|---|---|---|---|\n";
  for (const auto& r : rows)
    text += "| `" + r.path + "` | " + r.type + " | " + (r.preset.empty() ? "" : "`" + cell(r.preset) + "`") + " | " +
            cell(r.range) + " | " + cell(r.help) + " |\n";
  return text;
}

}  // namespace sunstar::kit
