// SPDX-License-Identifier: MIT
#include "models/core/words.h"

#include <algorithm>
#include <numeric>

namespace sunstar {

std::string in_quotes(std::string_view word) { return '"' + std::string(word) + '"'; }

std::string listed(const std::vector<std::string>& words, std::string_view last, bool quotes) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 < words.size() ? ", " : " " + std::string(last) + " ";
    text += quotes ? in_quotes(words[i]) : words[i];
  }
  return text;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const auto replace = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replace});
    }
  }
  return row.back();
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
  const auto small = [](std::string_view w) {
    std::string text{w};
    for (auto& c : text)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
  };
  std::optional<std::string> best;
  auto least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const auto& c : candidates) {
    const auto d = edit_distance(small(word), small(c));
    if (d < least && d < std::max(word.size(), c.size())) least = d, best = c;
  }
  return best;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const auto best = nearest(word, candidates);
  return best ? "; did you mean " + in_quotes(*best) + "?" : "";
}

std::string must_be_one_of(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string near = suggestion(word, candidates);
  return "it must be " + listed(candidates, "or", false) + (near.empty() ? "." : near);
}

}  // namespace sunstar
