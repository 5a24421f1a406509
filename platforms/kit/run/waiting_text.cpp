// SPDX-License-Identifier: MIT
#include "platforms/kit/run/waiting_text.h"

#include <algorithm>

namespace sunstar::kit {

std::string waiting_text(const std::string& heading, const std::vector<std::string>& lines) {
  constexpr std::size_t most = 40;
  std::string text = heading;
  for (std::size_t i = 0; i < std::min(lines.size(), most); ++i) text += "\n  " + lines[i];
  if (lines.size() > most) text += "\n  and " + std::to_string(lines.size() - most) + " more";
  return text;
}

}  // namespace sunstar::kit
